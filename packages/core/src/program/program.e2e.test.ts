import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const PROGRAM = join(import.meta.dirname, '../testing/command-program.ts');

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** @param redirection of a shell, behind the command line */
function run(args: readonly string[], { redirection = '', input = '' } = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(
      'sh',
      ['-c', `exec "$0" "$@" ${redirection}`, process.execPath, PROGRAM, ...args],
      (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

test('a command gets its operands and options, prints to stdout and notes to stderr', async () => {
  expect(await run(['greet', 'Ada', '--times', '2', '--', '--help'])).toStrictEqual({
    code: 0,
    stdout: 'Hello Ada --help\nHello Ada --help\n',
    stderr: 'terminal: false\n',
  });
  expect((await run(['greet', '-'], { input: 'Grace\n' })).stdout).toBe('Hello Grace\n');
});

test('a reader that leaves early ends the program without an error', async () => {
  expect(await run(['greet', 'x', '--times', '100000'], { redirection: '| head -n 1' })).toStrictEqual({
    code: 0,
    stdout: 'Hello x\n',
    stderr: 'terminal: false\n',
  });
});

test.skipIf(!existsSync('/dev/full'))('an output that cannot be written is an error', async () => {
  expect(await run(['greet', 'x'], { redirection: '> /dev/full' })).toStrictEqual({
    code: 1,
    stdout: '',
    stderr: 'terminal: false\ndemo greet: The output cannot be written (ENOSPC).\n',
  });
});
