import { spawnSync } from 'node:child_process';
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
  await first.printed(/in/);
  const second = folder.run(HOLD);
  await second.printed(/asked/);
  expect(second.stderr()).toContain('Waiting for another start in this folder');
  first.child.stdin.end();
  expect(await first.exited).toBe(0);
  await second.printed(/in\n/);
  second.child.stdin.end();
  expect(await second.exited).toBe(0);
});

test.each([
  ['the lock of a process that has ended', "String(spawnSync('true').pid)"],
  ['a lock file that a full disk left empty', "''"],
  ['the lock of an ended process with the number of this one', 'String(process.pid)'],
])('%s is ignored', async (_, content) => {
  const next = new CleanFolder().run(`
    const fs = await import('node:fs');
    const { spawnSync } = await import('node:child_process');
    fs.mkdirSync('.toolchain');
    fs.writeFileSync('.toolchain/lock.7', ${content});
    ${HOLD}`);
  await next.printed(/asked/);
  expect(next.stderr()).not.toContain('Waiting');
  await next.printed(/in\n/);
});

test('two processes do not both take over the lock of a process that has ended', async () => {
  const folder = new CleanFolder();
  const { pid } = spawnSync('true');
  folder.write('.toolchain/lock.1', String(pid));
  // The first process pauses after it has read the lock.
  const first = folder.run(`
    const { default: fs, existsSync } = await import('node:fs');
    const { syncBuiltinESMExports } = await import('node:module');
    const { readFileSync } = fs;
    fs.readFileSync = (...args) => {
      const content = readFileSync(...args);
      const pauses = String(args[0]).startsWith('.toolchain/lock') && !existsSync('go');
      if (pauses) console.log('looked');
      while (pauses && !existsSync('go')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
      return content;
    };
    syncBuiltinESMExports();
    ${HOLD}`);
  await first.printed(/looked/);
  const second = folder.run(HOLD);
  await second.printed(/in\n/);
  folder.write('go', '');
  await first.printed(/Waiting/);
  second.child.stdin.end();
  expect(await second.exited).toBe(0);
  await first.printed(/in\n/);
});

test('a signal ends the step that runs before the lock is released', async () => {
  const folder = new CleanFolder();
  const start = folder.run(`
    const { prepare, withLock } = await load('processes');
    const step = ['-c', 'echo $$ > pid.new; mv pid.new pid; exec sleep 60'];
    const { existsSync } = await import('node:fs');
    const look = setInterval(() => existsSync('pid') && (clearInterval(look), console.log('runs')), 20);
    await withLock('.toolchain/lock', () => prepare('Working', 'sh', step));`);
  await start.printed(/runs/);
  const pid = Number(folder.read('pid'));
  start.child.kill('SIGTERM');
  expect(await start.exited).toBe(1);
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  expect(folder.read('.toolchain/lock.1')).toBe('released');
});

test('a signal ends the start, also if the step then ends with code 0', async () => {
  const folder = new CleanFolder();
  const start = folder.run(`
    const { prepare } = await load('processes');
    const { existsSync } = await import('node:fs');
    const look = setInterval(() => existsSync('on') && (clearInterval(look), console.log('runs')), 20);
    await prepare('Working', 'sh', ['-c', "trap 'exit 0' TERM; : > on; while :; do sleep 0.05; done"]);
    console.log('went on');`);
  await start.printed(/runs/);
  start.child.kill('SIGTERM');
  expect(await start.exited).toBe(1);
  expect(start.stdout()).not.toContain('went on');
});
