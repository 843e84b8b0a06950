import { temporaryFolder } from '@deskside/testkit';
import Database from 'better-sqlite3';
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSqliteTaskStore } from './sqlite-task-store.ts';
import { StoreUnavailable } from './store-failures.ts';
import { describeTaskStore } from './testing/store-contract.ts';
import { callOf, moment, type AuditRow } from './testing/store-under-test.ts';

const anna = callOf('anna');
const everything = { status: 'all', limit: 9 } as const;

describeTaskStore('an SQLite file', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  const store = openSqliteTaskStore({ file, now: () => moment });
  onTestFinished(() => store[Symbol.asyncDispose]());
  return {
    store,
    async audit() {
      const rows = 'SELECT *, task_id AS taskId FROM audit ORDER BY id';
      return withDatabase(file, (database) => database.prepare<[], AuditRow>(rows).all());
    },
  };
});

test('nothing is touched before the first call', async () => {
  const folder = temporaryFolder();
  const store = openSqliteTaskStore({ file: join(folder, 'new', 'todo.sqlite') });
  await store[Symbol.asyncDispose]();
  expect(readdirSync(folder)).toStrictEqual([]);
});

test('reading and refusing create no user', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  const store = openSqliteTaskStore({ file });
  await store.list(anna, everything);
  await store.complete(anna, 1);
  await store.update(anna, 1, { title: 'x' });
  await store.remove(anna, 1);
  await store.refuse(anna, 'user_not_found');
  await store[Symbol.asyncDispose]();
  expect(withDatabase(file, (database) => database.prepare('SELECT * FROM users').all())).toStrictEqual([]);
});

test('a change and its audit row come together or not at all', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  await using store = openSqliteTaskStore({ file });
  await store.add(anna, { title: 'kept', description: null });
  withDatabase(file, (database) =>
    database.exec("CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT raise(ABORT, 'no audit'); END"),
  );
  await expect(store.add(anna, { title: 'lost', description: null })).rejects.toThrow('no audit');
  await expect(store.remove(anna, 1)).rejects.toThrow('no audit');
  withDatabase(file, (database) => database.exec('DROP TRIGGER full'));
  expect((await store.list(anna, everything)).tasks).toMatchObject([{ id: 1, title: 'kept' }]);
  expect(await store.add(anna, { title: 'next', description: null })).toMatchObject({ id: 2 });
});

test('only the owner can read the files', async () => {
  const folder = join(temporaryFolder(), 'deep', 'er');
  const file = join(folder, 'todo.sqlite');
  await using store = openSqliteTaskStore({ file });
  await store.add(anna, { title: 'Milk', description: null });
  const modes = [folder, join(folder, '..'), file, `${file}-wal`, `${file}-shm`].map(modeOf);
  expect(modes).toStrictEqual(['700', '700', '600', '600', '600']);
});

test('closing writes everything to the one file, twice does no harm, and later calls are refused', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  const store = openSqliteTaskStore({ file });
  await store.add(anna, { title: 'Milk', description: null });
  await store[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  expect(existsSync(`${file}-wal`)).toBe(false);
  await expect(store.list(anna, everything)).rejects.toThrow(StoreUnavailable);
  await using again = openSqliteTaskStore({ file });
  expect((await again.list(anna, everything)).tasks).toHaveLength(1);
});

test('a call that is under way when the store closes is refused', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  const store = openSqliteTaskStore({ file });
  const call = store.add(anna, { title: 'Milk', description: null });
  const [answer] = await Promise.allSettled([call, store[Symbol.asyncDispose]()]);
  expect(answer).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) });
  expect(existsSync(file)).toBe(false);
});

test('a store in memory works, and each is its own', async () => {
  await using one = openSqliteTaskStore({ file: ':memory:' });
  await using other = openSqliteTaskStore({ file: ':memory:' });
  await one.add(anna, { title: 'Milk', description: null });
  expect((await one.list(anna, everything)).tasks).toHaveLength(1);
  expect((await other.list(anna, everything)).tasks).toHaveLength(0);
});

test('a failed opening is tried again by the next call', async () => {
  const folder = temporaryFolder();
  const blocker = join(folder, 'data');
  writeFileSync(blocker, 'a file where the folder should be');
  await using store = openSqliteTaskStore({ file: join(blocker, 'todo.sqlite') });
  const failure = await store.list(anna, everything).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StoreUnavailable);
  expect(failure).toMatchObject({ message: expect.stringContaining(blocker), cause: expect.any(Error) });
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
