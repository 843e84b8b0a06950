import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { thisProcess } from './this-process.ts';

test('isRunning is true for this process and false for one that has ended', async () => {
  const { id, isRunning } = thisProcess();
  expect(isRunning(id)).toBe(true);
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'exit');
  expect(isRunning(child.pid ?? 0)).toBe(false);
});
