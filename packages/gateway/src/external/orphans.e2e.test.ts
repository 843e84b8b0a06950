import { join } from 'node:path';
import { startProgram } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { isRunning } from '../testing/fake.ts';

const PROGRAM = join(import.meta.dirname, '../testing/desk-program.ts');

async function startDesk(...args: readonly string[]) {
  const program = startProgram({ command: process.execPath, args: [PROGRAM, ...args] });
  onTestFinished(() => program[Symbol.asyncDispose]());
  const [, ...pids] = await program.printed(/pids (\d+) (\d+)/);
  await program.printed(/^started$/m);
  return { program, pids: pids.map(Number) };
}

test('no process is left after SIGKILL of the desk, also if it ignores the end of its input and SIGTERM', async () => {
  const { program, pids } = await startDesk();
  expect(pids.map(isRunning)).toStrictEqual([true, true]);
  program.child.kill('SIGKILL');
  await expect.poll(() => pids.map(isRunning)).toStrictEqual([false, false]);
});

test('no process is left after the desk has closed', async () => {
  const { program, pids } = await startDesk('close');
  await program.exited;
  await expect.poll(() => pids.map(isRunning)).toStrictEqual([false, false]);
});
