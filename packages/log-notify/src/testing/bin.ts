import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLog } from '@deskside/core';
import { type Journal, openJournal } from '@deskside/desktop';
import { cleanEnvironment, type Command, startProgram, temporaryFolder } from '@deskside/testkit';
import { jsonLine, parseJsonLine } from '../notification/json-line.ts';
import { sampleNotification } from './delivery.ts';
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

/** A new home whose JSON lines file contains one warning, `one`. */
export function homeWithNotification(): string {
  const home = temporaryFolder();
  // Private, or the desk database would be in a folder that other tests use too.
  mkdirSync(join(home, 'state/deskside'), { recursive: true, mode: 0o700 });
  writeFileSync(
    join(home, 'state/deskside/notify.jsonl'),
    `${jsonLine(sampleNotification('one', 'warn'))}\n`,
  );
  return home;
}

/** The notifications in the JSON lines file of that home. */
export function written(home: string) {
  return linesIn(join(home, 'state/deskside/notify.jsonl'))
    .map((line) => parseJsonLine(line))
    .map((each) => ({ level: each?.level, context: each?.context, message: each?.message }));
}
