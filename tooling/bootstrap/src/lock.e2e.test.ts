import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CleanFolder } from './testing/clean-folder.ts';

/** Enters the lock and prints "in". Fails if another process is inside. Leaves when its input ends. */
const HOLD = `
const { once } = await import('node:events');
const { mkdirSync, rmdirSync } = await import('node:fs');
const { withLock } = await load('processes');
const held = withLock('.toolchain/lock', async () => {
  mkdirSync('occupied');
  console.log('in');
  await once(process.stdin.resume(), 'end');
  rmdirSync('occupied');
});
console.log('asked');
await held;
`;

test('a second process waits for the lock until the first one releases it', async () => {
  const folder = new CleanFolder();
  const first = folder.run(HOLD);
  await first.printed('in');
  const second = folder.run(HOLD);
  await second.printed('asked');
  expect(second.output()).toContain('Waiting for another start in this folder');
  first.child.stdin.end();
  expect(await first.ended).toBe(0);
  await second.printed('in\n');
  second.child.stdin.end();
  expect(await second.ended).toBe(0);
  expect(existsSync(join(folder.path, '.toolchain/lock'))).toBe(false);
});

test('the lock of a process that has ended is ignored', async () => {
  const folder = new CleanFolder();
  const { pid } = spawnSync('true');
  folder.write('.toolchain/lock', String(pid));
  const next = folder.run(HOLD);
  await next.printed('in');
  expect(next.output()).not.toContain('Waiting');
});

test('a process that exits inside the lock removes it', async () => {
  const folder = new CleanFolder();
  const stopped = folder.run(`
    const { withLock } = await load('processes');
    await withLock('.toolchain/lock', async () => process.exit(3));
  `);
  expect(await stopped.ended).toBe(3);
  expect(existsSync(join(folder.path, '.toolchain/lock'))).toBe(false);
});
