import { readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { whileLocked } from './lock.ts';

const RANDOM = '6f1d9c52-0000-4000-8000-000000000000';

test('a lock that another program holds ends the wait with a sentence, and the work is not done; work that fails leaves no lock', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'settings.json');
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  const other = whileLocked(file, () => finished);
  const work = async () => writeFileSync(file, 'changed');
  await expect(whileLocked(file, work, { waitMs: 0 })).rejects.toThrow(
    `Another Deskside program changes ${file}. Try again.`,
  );
  finish();
  await other;
  await expect(whileLocked(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(readdirSync(folder)).toStrictEqual([]);
});

test('who waits for a holder has no file: the files of many would keep all of them waiting', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'settings.json');
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  const holder = whileLocked(file, () => finished);
  const waiting = Array.from({ length: 20 }, (_, index) => whileLocked(file, async () => index));
  expect(readdirSync(folder)).toHaveLength(1);
  finish();
  await holder;
  expect(await Promise.all(waiting)).toHaveLength(20);
  expect(readdirSync(folder)).toStrictEqual([]);
});

test('a draft that a killed program left beside a file, or behind a link to it, goes with the next work on the file', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'settings.json');
  const link = join(temporaryFolder(), 'settings.json');
  symlinkSync(file, link);
  const kept = ['other.json', `other.json.${RANDOM}`, 'settings.json', 'settings.json.bak'];
  for (const path of [file, link]) {
    for (const name of [...kept, `settings.json.${RANDOM}`]) writeFileSync(join(folder, name), '');
    await whileLocked(path, async () => 'done');
    expect(readdirSync(folder)).toStrictEqual(kept);
  }
});

test('a lock of another machine or of an earlier boot is respected for a minute', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'settings.json');
  const lock = `${file}.${RANDOM}.${process.pid}.1.00000000.lock`;
  writeFileSync(lock, '');
  // By the clock of this process, which a test of another date sets.
  utimesSync(lock, new Date(), new Date());
  const work = () => whileLocked(file, async () => 'done', { waitMs: 0 });
  await expect(work()).rejects.toThrow('Try again');
  const earlier = new Date(Date.now() - 61_000);
  utimesSync(lock, earlier, earlier);
  expect(await work()).toBe('done');
  expect(readdirSync(folder)).toStrictEqual([]);
});
