import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { acquireLock, latestRecord, writeRecord } from './lock.ts';

const never = new AbortController().signal;

test('one caller holds the lock, and the others get it in the order of their calls', async () => {
  const folder = temporaryFolder();
  const counts: number[] = [];
  const waiting = (count: number) => expect.poll(() => counts.at(-1)).toBe(count);
  const first = await acquireLock(folder, never);
  first.onWaitingChange((count) => counts.push(count));
  const order: string[] = [];
  const wait = async (name: string) => {
    const lock = await acquireLock(folder, never);
    order.push(name);
    lock.release();
  };
  const second = wait('second');
  await waiting(1);
  const third = wait('third');
  await waiting(2);
  expect(order).toStrictEqual([]);
  first.release();
  await Promise.all([second, third]);
  expect(order).toStrictEqual(['second', 'third']);
});

test('a waiter whose signal is aborted leaves the queue', async () => {
  const folder = temporaryFolder();
  const counts: number[] = [];
  const holder = await acquireLock(folder, never);
  holder.onWaitingChange((count) => counts.push(count));
  const stop = new AbortController();
  const waiter = acquireLock(folder, stop.signal);
  await expect.poll(() => counts.at(-1)).toBe(1);
  stop.abort();
  await expect(waiter).rejects.toThrow('aborted');
  await expect.poll(() => counts.at(-1)).toBe(0);
  holder.release();
});

test('25 concurrent callers never hold the lock at the same time', async () => {
  const folder = temporaryFolder();
  let holders = 0;
  let most = 0;
  const acquire = async () => {
    const lock = await acquireLock(folder, never);
    holders += 1;
    most = Math.max(most, holders);
    await new Promise((resolve) => setImmediate(resolve));
    holders -= 1;
    lock.release();
  };
  await Promise.all(Array.from({ length: 25 }, acquire));
  expect(most).toBe(1);
});

test('a lock record with an old number is refused, even after its file was deleted', async () => {
  const folder = temporaryFolder();
  const records = [1, 2, 1].map((number, index) => ({ number, address: `holder ${index}` }));
  const accepted: boolean[] = [];
  for (const record of records) accepted.push(await writeRecord(folder, record));
  expect(accepted).toStrictEqual([true, true, false]);
  expect(await latestRecord(folder)).toStrictEqual({ number: 2, address: 'holder 1' });
});
