import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { cleanEnvironment, startProgram, temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';

const PROGRAM = join(import.meta.dirname, '../testing/stuck-program.ts');

const stuck = (how: string) =>
  startProgram({ command: process.execPath, args: [PROGRAM, how], env: cleanEnvironment(temporaryFolder()) });

test('a process whose main thread works without end is ended, and says why', async () => {
  await using program = stuck('busy');
  await program.exited;
  expect(program.stderr()).toContain('deskside: the process hung for ');
});

test('it is ended also if nothing reads its stderr any more', async () => {
  const program = spawn(process.execPath, [PROGRAM, 'busy'], { stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => void program.kill('SIGKILL'));
  program.stderr.destroy();
  expect(await once(program, 'exit')).toStrictEqual([null, 'SIGKILL']);
});

test('a process whose main thread only waits goes on', async () => {
  await using program = stuck('asleep');
  expect(await program.exited).toBe(0);
  expect(program.stderr()).toBe('');
});
