import { temporaryFolder } from '@deskside/testkit';
import { join } from 'node:path';
import { setInterval as ticks } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openSqliteTaskStore } from './sqlite-task-store.ts';
import { StoreBusy } from './store-failures.ts';
import { callOf } from './testing/store-under-test.ts';
import { startWorker, type Worker } from './testing/worker.ts';

const anna = callOf('anna');
const milk = { title: 'Milk', description: null };

// The lock is let go by the event loop's own turns, so a blocked one would keep it until StoreBusy.
test('the event loop is free while calls wait for the lock, and then they succeed in order', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  await using store = openSqliteTaskStore({ file });
  await store.add(anna, milk);
  const holder = await lock(file);
  const calls = Array.from({ length: 30 }, () => store.add(anna, milk));
  const list = store.list(anna, { status: 'all', limit: 1 });
  await releaseAfterTurns(holder, 40);
  expect((await Promise.all(calls)).map((task) => task.id)).toStrictEqual(calls.map((_, index) => index + 2));
  expect(await list).toMatchObject({ tasks: [{ id: 31 }], remaining: 30 });
});

test('opening waits as well', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  const holder = await lock(file);
  await using store = openSqliteTaskStore({ file });
  const call = store.add(anna, milk);
  await releaseAfterTurns(holder, 20);
  expect(await call).toMatchObject({ id: 1 });
});

test.each(['an open', 'a new'])(
  'every waiting call on %s store ends as busy, and nothing was changed',
  async (state) => {
    const file = join(temporaryFolder(), 'todo.sqlite');
    await using store = openSqliteTaskStore({ file, busyTimeoutMs: 300 });
    if (state === 'an open') await store.list(anna, { status: 'all', limit: 1 });
    const holder = await lock(file);
    const calls = [
      store.add(anna, milk),
      store.list(anna, { status: 'all', limit: 1 }),
      store.complete(anna, 1),
      store.update(anna, 1, milk),
      store.remove(anna, 1),
      store.refuse(anna, 'invalid'),
    ];
    for (const answer of await Promise.allSettled(calls)) {
      expect(answer).toMatchObject({ status: 'rejected', reason: expect.any(StoreBusy) });
    }
    holder.go();
    await holder.ended;
    expect(await store.list(anna, { status: 'all', limit: 1 })).toStrictEqual({ tasks: [], remaining: 0 });
  },
);

test('closing ends a call that waits', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  const store = openSqliteTaskStore({ file });
  await store.add(anna, milk);
  await lock(file);
  const waiting = store.add(anna, milk);
  const [answer] = await Promise.allSettled([waiting, store[Symbol.asyncDispose]()]);
  expect(answer).toMatchObject({ status: 'rejected', reason: { message: 'The task store is closed' } });
});

async function lock(file: string): Promise<Worker> {
  const holder = startWorker('lock-holder.ts');
  holder.tell(file);
  await holder.printed(1);
  return holder;
}

async function releaseAfterTurns(holder: Worker, turns: number): Promise<void> {
  const timer = ticks(10);
  for (let turn = 0; turn < turns; turn += 1) await timer.next();
  await timer.return?.();
  holder.go();
}
