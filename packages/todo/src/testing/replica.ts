import { join } from 'node:path';
import { cleanEnvironment, startProgram, temporaryFolder } from '@deskside/testkit';
import { onTestFinished } from 'vitest';

const CLI = join(import.meta.dirname, '../../dist/bin/cli.js');

/** The main token of all replicas. */
export const MAIN_TOKEN = 'a-long-enough-token';

/** A `deskside-todo --http` with a home folder of its own. */
export interface Replica {
  readonly url: string;
  readonly port: number;
  /** The errors that it has logged. */
  errors(): readonly string[];
  /** kill -9 */
  kill(): Promise<void>;
}

/** The command of the operator or of a server. */
export function todoCommand(database: string, args: readonly string[], env: Record<string, string> = {}) {
  const shared = { DESKSIDE_TOKEN: MAIN_TOKEN, TODO_DATABASE_URL: database };
  return {
    command: process.execPath,
    args: [CLI, ...args],
    env: { ...cleanEnvironment(temporaryFolder()), ...shared, ...env },
  };
}

/** @param port 0: any free one */
export async function startReplica(
  database: string,
  port = 0,
  env: Record<string, string> = {},
): Promise<Replica> {
  const program = startProgram(todoCommand(database, ['--http', '--port', String(port)], env));
  onTestFinished(() => program[Symbol.asyncDispose]());
  const [, url = ''] = await program.printed(/serves MCP at (\S+)\n/);
  return {
    url,
    port: Number(new URL(url).port),
    errors: () =>
      program
        .stderr()
        .split('\n')
        .filter((line) => line.includes('error')),
    kill: async () => program[Symbol.asyncDispose](),
  };
}
