import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProgram } from '@deskside/testkit';
import type { DeskHome } from './desk-home.ts';
import { withPersonAt } from './with-person.ts';

/** Of util-linux: it gives a program a terminal. */
export const SCRIPT = '/usr/bin/script';
// Not the built program: its parts cannot be replaced.
const CLI = join(import.meta.dirname, '../cli.ts');

interface Terminal {
  readonly typed?: string;
  readonly isHere?: boolean;
  readonly isRaw?: boolean;
}

/**
 * A program that an agent runs in the terminal of a person: its input and output are its own.
 *
 * @param keys typed at the question, each when those before it are shown
 * @param typed before the question
 * @param isHere its input and output are the terminal
 * @param isRaw the terminal passes each key at once, as in the interface of an agent
 */
export async function answered(
  { command, home }: DeskHome,
  args: readonly string[],
  keys: readonly string[],
  { typed, isHere = false, isRaw = false }: Terminal = {},
) {
  const out = join(home, 'out');
  const { args: words, env, ...node } = command(args);
  const line = [node.command, ...words.with(0, CLI)].map((word) => `'${word}'`).join(' ');
  await using program = startProgram({
    command: SCRIPT,
    args: [
      '-qec',
      `${isRaw ? 'stty raw; ' : ''}${line}${isHere ? '' : ` < /dev/null > '${out}' 2>&1`}`,
      '/dev/null',
    ],
    env: withPersonAt({}, { ...env, SHELL: '/bin/sh' }),
  });
  if (typed !== undefined) {
    program.child.stdin.write(typed);
    await program.printed(/^y/);
  }
  for (const [index, key] of keys.entries()) {
    // After a line comes the next question.
    const before = keys.slice(0, index).join('').replaceAll('\n', '\r\n').replace(/\n$/, '\n[^]*\\[y/N\\] ');
    await program.printed(new RegExp(`\\[y/N\\] ${before}$`));
    program.child.stdin.write(key);
  }
  const code = await program.exited;
  return {
    code,
    terminal: program.stdout().replaceAll('\r', ''),
    output: isHere ? '' : readFileSync(out, 'utf8'),
  };
}
