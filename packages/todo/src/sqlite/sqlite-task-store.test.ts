import { existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fixedClock, temporaryFolder } from '@deskside/testkit';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { StoreUnavailable } from '../store/task-store.ts';
import { describeTaskStore } from '../testing/store-contract.ts';
import { callerContext, NOW } from '../testing/store-under-test.ts';
import { toStoreError } from './connection.ts';
import { sqliteTaskStore } from './sqlite-task-store.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const anna = callerContext('anna');
const everything = { status: 'all', limit: 9 } as const;

describeTaskStore('an SQLite file', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  const { now, advance } = fixedClock(NOW.toISOString());
  const another = () => {
    const store = sqliteTaskStore({ file, now });
    onTestFinished(() => store[Symbol.asyncDispose]());
    return store;
  };
  return { store: another(), another, pass: advance };
});

test('texts of deleted tasks are purged after 30 days by the clock and keys after one, when the database is opened, of all users', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  const { now, advance } = fixedClock(NOW.toISOString());
  const stored = () =>
    withDatabase(file, (database) =>
      database.prepare('SELECT title FROM tasks WHERE deleted_at IS NOT NULL').pluck().all(),
    );
  const keys = () =>
    withDatabase(file, (database) => database.prepare('SELECT key FROM idempotency_keys').pluck().all());
  {
    await using store = sqliteTaskStore({ file, now });
    for (const title of ['first', 'second']) await store.add(anna, { title, description: null });
    await store.remove(anna, 1);
  }
  advance(29 * DAY_MS);
  {
    await using store = sqliteTaskStore({ file, now });
    await store.remove(anna, 2);
    await store.add(anna, { title: 'fourth', description: null }, 'a key');
    expect(stored()).toStrictEqual(['first', 'second']);
    expect(keys()).toStrictEqual(['a key']);
  }
  advance(DAY_MS);
  await using store = sqliteTaskStore({ file, now });
  await store.add(callerContext('ben'), { title: 'third', description: null });
  await store.complete(callerContext('ben'), 1);
  expect(stored()).toStrictEqual(['second']);
  expect(keys()).toStrictEqual([]);
});

test('the files contain nothing of a text that was forgotten, purged or replaced, also while the store is open and being read', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const file = join(temporaryFolder(), 'todo.sqlite');
  const { now, advance } = fixedClock(NOW.toISOString());
  /** Which texts one of the files contains, in any case: search words are in lower case. */
  const found = () => {
    const bytes = [file, `${file}-wal`].map((name) => readFileSync(name, 'latin1').toLowerCase()).join();
    return ['forgotten', 'purged', 'replaced', 'other'].filter((text) => bytes.includes(text));
  };
  await using store = sqliteTaskStore({ file, now });
  const texts = ['Forgotten', 'Purged', 'Replaced', 'Other'];
  for (const title of texts) await store.add(anna, { title, description: `${title} too` });
  expect(found()).toStrictEqual(['forgotten', 'purged', 'replaced', 'other']);
  await store.update(anna, 3, { title: 'New', description: 'new' });
  await store.remove(anna, 2);
  await store.removeForGood(anna, 1);
  expect(found()).toStrictEqual(['purged', 'other']);
  advance(30 * DAY_MS);
  // A machine that sleeps most of the time: its timers stand still meanwhile.
  vi.advanceTimersByTime(HOUR_MS);
  // Each write is after the purge before it.
  for (const id of [4, 4]) await store.complete(anna, id);
  await nextTurn();
  expect(found()).toStrictEqual(['other']);

  // What reads hold back is erased by the next one.
  const reader = new Database(file, { readonly: true });
  onTestFinished(() => void reader.close());
  const rows = reader.prepare('SELECT id FROM tasks').iterate();
  rows.next();
  expect(await store.removeForGood(anna, 4)).toMatchObject({ id: 4 });
  expect(found()).toStrictEqual(['other']);
  rows.return?.();
  await store.removeForGood(anna, 3);
  expect(found()).toStrictEqual([]);
});

test('a search of 20,000 tasks lets other reads and the event loop go on', async () => {
  await using store = sqliteTaskStore({ file: ':memory:' });
  const tasks = Array.from({ length: 20_000 }, (_, index) => ({ title: `task ${index}`, description: null }));
  await store.addAll(anna, tasks);
  const answered: string[] = [];
  const search = store.list(anna, { status: 'all', limit: 9, words: ['nothing'] });
  const reads = Array.from({ length: 20 }, () => store.get(anna, 1).then(() => answered.push('read')));
  await Promise.all([...reads, search.then(() => answered.push('search'))]);
  expect(answered.at(-1)).toBe('search');
});

test('only the owner can read the database files and their new folders', async () => {
  const folder = join(temporaryFolder(), 'deep', 'er');
  const file = join(folder, 'todo.sqlite');
  await using store = sqliteTaskStore({ file });
  await store.add(anna, { title: 'Milk', description: null });
  const modes = [folder, join(folder, '..'), file, `${file}-wal`, `${file}-shm`].map(modeOf);
  expect(modes).toStrictEqual(['700', '700', '600', '600', '600']);
});

test('a dangling symlink leads to a new database that only the owner can read', async () => {
  const folder = temporaryFolder();
  const target = join(folder, 'target.sqlite');
  const file = join(folder, 'todo.sqlite');
  symlinkSync('link', file);
  symlinkSync('target.sqlite', join(folder, 'link'));
  await using store = sqliteTaskStore({ file });
  expect(await store.add(anna, { title: 'Milk', description: null })).toMatchObject({ id: 1 });
  expect(modeOf(target)).toBe('600');
});

test('closing, also twice, writes everything to the one file and rejects later calls', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  const store = sqliteTaskStore({ file });
  await store.add(anna, { title: 'Milk', description: null });
  await store[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  expect(existsSync(`${file}-wal`)).toBe(false);
  await expect(store.list(anna, everything)).rejects.toThrow(StoreUnavailable);
  await using again = sqliteTaskStore({ file });
  expect((await again.list(anna, everything)).tasks).toHaveLength(1);
});

test('closing rejects a call that has not started, and creates no file', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  await sqliteTaskStore({ file })[Symbol.asyncDispose]();
  const store = sqliteTaskStore({ file });
  const call = store.add(anna, { title: 'Milk', description: null });
  const [answer] = await Promise.allSettled([call, store[Symbol.asyncDispose]()]);
  expect(answer).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) });
  expect(existsSync(file)).toBe(false);
});

test.each(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE'])('a full disk is named to the person: %s', (code) => {
  expect(toStoreError(new Database.SqliteError('it failed', code))).toMatchObject({
    reason: 'The task database failed: the disk is full',
    failure: { hint: expect.stringMatching(/the disk .* is full\.$/) },
  });
});

test('the next call opens a database that could not be opened before', async () => {
  const folder = temporaryFolder();
  const blocker = join(folder, 'data');
  writeFileSync(blocker, 'a file where the folder should be');
  await using store = sqliteTaskStore({ file: join(blocker, 'todo.sqlite') });
  const failure = await store.list(anna, everything).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StoreUnavailable);
  expect(failure).toMatchObject({ reason: expect.stringContaining(blocker), cause: expect.any(Error) });
  rmSync(blocker);
  expect(await store.list(anna, everything)).toStrictEqual({ tasks: [], remaining: 0 });
});

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

function withDatabase<T>(file: string, work: (database: Database.Database) => T): T {
  const database = new Database(file);
  try {
    return work(database);
  } finally {
    database.close();
  }
}
