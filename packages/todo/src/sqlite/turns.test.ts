import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { temporaryFolder } from '@deskside/testkit';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { StoreBusy } from '../store/task-store.ts';
import { callerContext } from '../testing/store-under-test.ts';
import { FileGuard } from './file-guard.ts';
import { sqliteTaskStore } from './sqlite-task-store.ts';

const anna = callerContext('anna');
const milk = { title: 'Milk', description: null };
const everything = { status: 'all', limit: 9 } as const;

// The event loop releases the lock, so a call that blocks it ends as StoreBusy.
test('calls that wait for the lock leave the event loop free, and then succeed in their order', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  await using store = sqliteTaskStore({ file });
  await store.add(anna, milk);
  const release = lock(file);
  const calls = Array.from({ length: 30 }, () => store.add(anna, milk));
  await eventLoopTurns(40);
  release();
  expect((await Promise.all(calls)).map((task) => task.id)).toStrictEqual(calls.map((_, index) => index + 2));
});

test('a call whose time has passed while the event loop stood still is tried once more', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  await using store = sqliteTaskStore({ file, busyTimeoutMs: 200 });
  await store.add(anna, milk);
  const release = lock(file);
  const waiting = store.add(anna, milk);
  await eventLoopTurns(10);
  release();
  // As on a machine that is busy, or sleeps.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
  expect(await waiting).toMatchObject({ id: 2 });
});

test('list answers while another connection holds the write lock, and is counted later', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  await using store = sqliteTaskStore({ file });
  await store.add(anna, milk);
  const release = lock(file);
  const waiting = store.add(anna, milk);
  expect(await store.list(anna, everything)).toMatchObject({ tasks: [{ id: 1 }], remaining: 0 });
  await using other = sqliteTaskStore({ file });
  expect(await other.list(anna, everything)).toMatchObject({ tasks: [{ id: 1 }] });
  release();
  await waiting;
  await store.add(anna, milk);
  expect((await store.readAudit(anna, 1)).counts).toMatchObject([{ outcome: 'ok', calls: 1 }]);
});

test('a change that was made is a success, also if the look at the files after it fails', async () => {
  const look = vi.spyOn(FileGuard.prototype, 'check').mockImplementationOnce(() => {
    throw new Database.SqliteError('locked', 'SQLITE_BUSY');
  });
  onTestFinished(() => look.mockRestore());
  await using store = sqliteTaskStore({ file: ':memory:' });
  const added = await Promise.all([milk, milk].map((task) => store.add(anna, task)));
  expect(added.map(({ id }) => id)).toStrictEqual([1, 2]);
  expect((await store.list(anna, everything)).tasks).toHaveLength(2);
});

/** These calls do not wait for a lock, but for each other: how long depends on the machine. */
const PATIENT_MS = 60_000;

test('1000 calls at once leave the event loop free, and reads share a part of it', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  await using store = sqliteTaskStore({ file, busyTimeoutMs: PATIENT_MS });
  await store.add(anna, milk);
  let turns = 0;
  let next = setImmediate(function count() {
    turns += 1;
    next = setImmediate(count);
  });
  await Promise.all(Array.from({ length: 1000 }, () => store.update(anna, 1, milk)));
  const turnsOfUpdates = turns;
  await Promise.all(Array.from({ length: 1000 }, () => store.list(anna, everything)));
  clearImmediate(next);
  // All at once would be one or two, one by one a thousand.
  for (const passed of [turnsOfUpdates, turns - turnsOfUpdates]) expect(passed).toBeGreaterThan(2);
  expect(turns - turnsOfUpdates).toBeLessThan(500);
});

test('reads that cost much wait no longer than changes that came with them', async () => {
  await using store = sqliteTaskStore({ file: ':memory:', busyTimeoutMs: PATIENT_MS });
  await store.addAll(
    anna,
    Array.from({ length: 500 }, () => milk),
  );
  let lists = 0;
  let listsBefore = 0;
  const calls = Array.from({ length: 100 }, async () => {
    await Promise.all([
      store.list(anna, { status: 'all', limit: 500 }).then(() => (lists += 1)),
      store.update(anna, 1, milk).then(() => (listsBefore = lists)),
    ]);
  });
  await Promise.all(calls);
  expect(listsBefore).toBeGreaterThan(50);
});

test.each([
  [
    'its commit fails',
    `CREATE TABLE unknown (user text REFERENCES users (id) DEFERRABLE INITIALLY DEFERRED);
     CREATE TRIGGER bad AFTER INSERT ON tasks WHEN new.title = 'bad' BEGIN INSERT INTO unknown VALUES ('nobody'); END`,
    'FOREIGN KEY constraint failed',
  ],
  [
    'SQLite ends its transaction',
    "CREATE TRIGGER bad AFTER INSERT ON tasks WHEN new.title = 'bad' BEGIN SELECT raise(ROLLBACK, 'disk full'); END",
    'disk full',
  ],
])(
  'a group of concurrent writes fails as a whole if %s, changes nothing, and is not repeated',
  async (_, sql, message) => {
    const file = join(temporaryFolder(), 'todo.sqlite');
    await using store = sqliteTaskStore({ file });
    await store.add(anna, milk);
    const database = new Database(file);
    onTestFinished(() => void database.close());
    database.exec(sql);
    const settled = await Promise.allSettled(
      ['a', 'b', 'bad', 'c', 'd'].map((title) => store.add(anna, { title, description: null })),
    );
    const failed = settled.filter(({ status }) => status === 'rejected');
    expect(failed.length).toBeGreaterThanOrEqual(3);
    for (const each of failed) expect(each).toMatchObject({ reason: { message } });
    expect(new Set(failed.map((each) => 'reason' in each && each.reason)).size).toBe(1);
    const kept = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value.title] : []));
    const { tasks } = await store.list(anna, everything);
    expect(tasks.map(({ title }) => title)).toStrictEqual([...kept.toReversed(), 'Milk']);
    expect(await store.add(anna, milk)).toMatchObject({ id: 2 + kept.length });
  },
);

describe('a cancelled call', () => {
  test('is not carried out after it waited for the lock, and rejects at once', async () => {
    const file = join(temporaryFolder(), 'todo.sqlite');
    await using store = sqliteTaskStore({ file });
    await store.add(anna, milk);
    const release = lock(file);
    const { signal, abort } = new Cancellation();
    const cancelled = store.add({ ...anna, signal }, { title: 'cancelled', description: null });
    const other = store.add(anna, { title: 'Bread', description: null });
    await eventLoopTurns(10);
    abort();
    await expect(cancelled).rejects.toThrow('cancelled by the client');
    release();
    expect(await other).toMatchObject({ id: 2 });
    expect((await store.list(anna, everything)).tasks.map(({ title }) => title)).toStrictEqual([
      'Bread',
      'Milk',
    ]);
  });

  test('rejects if it was cancelled before, and is carried out if it was cancelled after', async () => {
    await using store = sqliteTaskStore({ file: ':memory:' });
    const { signal, abort } = new Cancellation();
    const added = await store.add({ ...anna, signal }, milk);
    abort();
    for (const call of [
      () => store.add({ ...anna, signal }, milk),
      () => store.list({ ...anna, signal }, everything),
      () => store.complete({ ...anna, signal }, 1),
      () => store.update({ ...anna, signal }, 1, { title: 'x' }),
      () => store.remove({ ...anna, signal }, 1),
    ]) {
      await expect(call()).rejects.toThrow('cancelled by the client');
    }
    expect((await store.list(anna, everything)).tasks).toStrictEqual([added]);
  });
});

test.each(['an open', 'a new'])(
  'every write on %s store, and every call that has to create it, rejects with StoreBusy after the busy timeout, and changes nothing',
  async (state) => {
    const file = join(temporaryFolder(), 'todo.sqlite');
    await using store = sqliteTaskStore({ file, busyTimeoutMs: 300 });
    if (state === 'an open') await store.list(anna, { status: 'all', limit: 1 });
    const release = lock(file);
    const calls = [
      store.add(anna, milk),
      ...(state === 'an open' ? [] : [store.list(anna, everything)]),
      store.complete(anna, 1),
      store.update(anna, 1, milk),
      store.remove(anna, 1),
    ];
    for (const result of await Promise.allSettled(calls)) {
      expect(result).toMatchObject({ status: 'rejected', reason: expect.any(StoreBusy) });
    }
    release();
    expect(await store.list(anna, { status: 'all', limit: 1 })).toStrictEqual({ tasks: [], remaining: 0 });
  },
);

test('closing the store rejects a call that waits for the lock', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  const store = sqliteTaskStore({ file });
  await store.add(anna, milk);
  lock(file);
  const waiting = store.add(anna, milk);
  await eventLoopTurns(10);
  const [result] = await Promise.allSettled([waiting, store[Symbol.asyncDispose]()]);
  expect(result).toMatchObject({ status: 'rejected', reason: { reason: 'The task store is closed' } });
});

class Cancellation {
  readonly #controller = new AbortController();
  readonly signal = this.#controller.signal;
  readonly abort = () => this.#controller.abort(new Error('cancelled by the client'));
}

/** Locks the database as another process would. @returns what releases the lock */
function lock(file: string): () => void {
  const database = new Database(file);
  onTestFinished(() => void database.close());
  database.exec('BEGIN EXCLUSIVE');
  return () => void database.exec('ROLLBACK');
}

async function eventLoopTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
}
