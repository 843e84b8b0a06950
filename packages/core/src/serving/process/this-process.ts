import { errnoOf } from '../../errors/index.ts';
import { standardError } from './standard-streams.ts';

/** What a server's dependencies may use of the process that they run in. */
export interface ThisProcess {
  /** Ignores a broken pipe. */
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly id: number;
  /** Node.js, the file of this program, and its arguments. */
  readonly command: readonly [string, ...string[]];
  /** True if a process with this id runs on this machine. It may be another one than before: ids are used again. */
  isRunning(id: number): boolean;
}

export function thisProcess(): ThisProcess {
  return {
    get stderr() {
      return standardError();
    },
    env: process.env,
    id: process.pid,
    command: [process.execPath, ...process.argv.slice(1)],
    isRunning(id) {
      try {
        return process.kill(id, 0);
      } catch (error) {
        // The process of another user.
        return errnoOf(error) === 'EPERM';
      }
    },
  };
}
