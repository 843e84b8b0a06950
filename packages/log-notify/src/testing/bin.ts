import { join } from 'node:path';
import { silentLog } from '@deskside/core';
import { type Journal, openJournal } from '@deskside/desktop';
import { cleanEnvironment, type Command, startProgram } from '@deskside/testkit';
import { parseJsonLine } from '../notification/json-line.ts';
import { linesIn } from './written-lines.ts';

export const CLI: string = join(import.meta.dirname, '../../dist/bin/cli.js');

/** The bin in an environment without the developer's settings. */
export function bin(home: string, args: readonly string[] = [], env: Record<string, string> = {}): Command {
  return {
    command: process.execPath,
    args: [CLI, ...args],
    env: { ...cleanEnvironment(home), TZ: 'UTC', ...env },
  };
}

/** What the programs of that home have recorded. */
export function journalOf(home: string): Journal {
  return openJournal({ places: { state: join(home, 'state/deskside'), runtime: [] }, log: silentLog });
}

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the bin until it exits. */
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

/** The notifications in the JSON lines file of that home. */
export function written(home: string) {
  return linesIn(join(home, 'state/deskside/notify.jsonl'))
    .map((line) => parseJsonLine(line))
    .map((each) => ({ level: each?.level, context: each?.context, message: each?.message }));
}
