import { spawn, spawnSync } from 'node:child_process';
import { temporaryFolder } from '@deskside/core/testing';

/** Whether the machine has all of these programs. */
export function isInstalled(...programs: readonly string[]): boolean {
  return programs.every((program) => spawnSync('sh', ['-c', 'command -v "$0"', program]).status === 0);
}

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export type Program = ReturnType<typeof startProgram>;

/** An environment without the developer's folders and settings. */
export function cleanEnvironment(home: string): Record<string, string> {
  return {
    // Empty means none: a popup must not appear on a display of another test.
    DISPLAY: '',
    HOME: home,
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    PATH: process.env['PATH'] ?? '',
    XDG_CONFIG_HOME: `${home}/config`,
    XDG_DATA_HOME: `${home}/data`,
    XDG_STATE_HOME: `${home}/state`,
  };
}

let home: string | undefined;

/** An environment for programs whose test names none: what they write does not go to the developer's folders. */
export function ownEnvironment(): Record<string, string> {
  if (home === undefined) {
    const folder = temporaryFolder();
    home = folder.path;
    const remove = () => folder[Symbol.dispose]();
    process.once('exit', remove);
    // So Vitest ends a worker, and nothing runs at its exit then.
    process.once('SIGTERM', (signal) => {
      remove();
      process.kill(process.pid, signal);
    });
  }
  return cleanEnvironment(home);
}

/** Without `env`, the program gets the variables of this process and other folders. */
export function startProgram({ command, args, env }: Command) {
  const { XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME } = ownEnvironment();
  const given = env ?? { ...process.env, XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME };
  const child = spawn(command, args, { stdio: 'pipe', env: given });
  const output = { stdout: '', stderr: '' };
  const watchers = new Set<() => void>();
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (chunk: string) => {
      output[stream] += chunk;
      for (const watch of watchers) watch();
    });
  }
  const { promise: exited, resolve: exit } = Promise.withResolvers<number | null>();
  child.on('close', exit);
  // Writing to a program that has ended fails; the test sees its exit code.
  child.stdin.on('error', () => undefined);
  return {
    child,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    /** The exit code; null if a signal ended the program. */
    exited,
    /** Resolves with the first match in stdout or stderr; rejects if the program ends before. */
    printed(pattern: RegExp) {
      const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
      const look = () => {
        const match = pattern.exec(output.stdout) ?? pattern.exec(output.stderr);
        if (match === null) return;
        watchers.delete(look);
        resolve(match);
      };
      watchers.add(look);
      look();
      void exited.then(() => reject(new Error(`ended without ${pattern}: ${output.stdout}${output.stderr}`)));
      return promise;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
