import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { latestClaim, writeClaim } from './claim-files.ts';
import { takeTurn } from './turn.ts';

const never = new AbortController().signal;

test('one has the turn, the others wait in their order', async () => {
  const folder = temporaryFolder();
  const counts: number[] = [];
  const waiting = (count: number) => expect.poll(() => counts.at(-1)).toBe(count);
  const first = await takeTurn(folder, never);
  first.onWaiting((count) => counts.push(count));
  const order: string[] = [];
  const wait = async (name: string) => {
    const turn = await takeTurn(folder, never);
    order.push(name);
    turn.release();
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

test('who stops waiting leaves the queue', async () => {
  const folder = temporaryFolder();
  const counts: number[] = [];
  const holder = await takeTurn(folder, never);
  holder.onWaiting((count) => counts.push(count));
  const stop = new AbortController();
  const waiter = takeTurn(folder, stop.signal);
  await expect.poll(() => counts.at(-1)).toBe(1);
  stop.abort();
  await expect(waiter).rejects.toThrow('aborted');
  await expect.poll(() => counts.at(-1)).toBe(0);
  holder.release();
});

test('never two at a time, however many want it at once', async () => {
  const folder = temporaryFolder();
  let holders = 0;
  let most = 0;
  const take = async () => {
    const turn = await takeTurn(folder, never);
    holders += 1;
    most = Math.max(most, holders);
    await new Promise((resolve) => setImmediate(resolve));
    holders -= 1;
    turn.release();
  };
  await Promise.all(Array.from({ length: 25 }, take));
  expect(most).toBe(1);
});

test('a holder that is killed loses its turn at once, and leaves no socket behind', async () => {
  const folder = temporaryFolder();
  const holder = fork(join(import.meta.dirname, '../testing/turn-holder.ts'), [folder], { execArgv: [] });
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder, 'message');
  const waiter = takeTurn(folder, never);
  holder.kill('SIGKILL');
  const turn = await waiter;
  expect(readdirSync(folder).filter((name) => name.endsWith('.sock'))).toHaveLength(1);
  turn.release();
});

test('a claim of a turn that is long past is refused, though its file is gone', async () => {
  const folder = temporaryFolder();
  const claims = [1, 2, 1].map((number, index) => ({ number, address: `holder ${index}` }));
  const taken: boolean[] = [];
  for (const claim of claims) taken.push(await writeClaim(folder, claim));
  expect(taken).toStrictEqual([true, true, false]);
  expect(await latestClaim(folder)).toStrictEqual({ number: 2, address: 'holder 1' });
});
