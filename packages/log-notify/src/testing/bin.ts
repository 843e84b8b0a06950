import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanEnvironment, type Command, startProgram } from '@deskside/testkit';
import { readJsonLine } from '../message/json-line.ts';

const CLI = join(import.meta.dirname, '../cli.ts');

/** The bin, seeing nothing of the developer's own. */
export function bin(home: string, args: readonly string[] = [], env: Record<string, string> = {}): Command {
  return {
    command: process.execPath,
    args: [CLI, ...args],
    env: { ...cleanEnvironment(home), TZ: 'UTC', ...env },
  };
}

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs it to its end. */
export async function run(
  home: string,
  args: readonly string[],
  input = '',
  env: Record<string, string> = {},
): Promise<Run> {
  await using program = startProgram(bin(home, args, env));
  program.child.stdin.end(input);
  const code = await program.exited;
  return { code, stdout: program.stdout(), stderr: program.stderr() };
}

/** What the person's file in that home holds. */
export function written(home: string) {
  const file = join(home, 'state/deskside/notify.jsonl');
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => readJsonLine(line))
    .map((each) => ({ level: each?.level, context: each?.context, message: each?.message }));
}
