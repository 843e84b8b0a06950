import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { StoreUnavailable } from '../store/task-store.ts';
import { callerContext } from '../testing/store-under-test.ts';
import { openConnection } from './connection.ts';
import { migrate, migrations, schemaVersion } from './migrate.ts';
import { sqliteTaskStore } from './sqlite-task-store.ts';

const anna = callerContext('anna');

/** As a release can have them: the second one inserts a row once. */
const nextMigrations = [
  ...migrations,
  {
    name: 'next',
    sql: `ALTER TABLE users ADD COLUMN zone TEXT; INSERT INTO users SELECT 'migrated ' || count(*), 0, NULL FROM users;`,
  },
];

test('a new database has the last schema version, strict tables and durable settings', () => {
  const folder = temporaryFolder();
  const database = openConnection(join(folder, 'todo.sqlite'), migrations);
  const settings = ['user_version', 'journal_mode', 'synchronous', 'foreign_keys', 'temp_store'];
  const values = settings.map((name) => database.pragma(name, { simple: true }));
  const tables = database.prepare(
    "SELECT DISTINCT strict FROM pragma_table_list WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
  );
  expect(tables.pluck().all()).toStrictEqual([1]);
  database.close();
  expect(values).toStrictEqual([migrations.length, 'wal', 2, 1, 2]);
  expect(readdirSync(folder)).toStrictEqual(['todo.sqlite']);
});

test('a process that waited for another one to create the tables creates nothing', () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  const clients = [new Database(file), new Database(file)];
  // Each has seen that there are no tables.
  for (const client of clients) expect(schemaVersion(client, migrations.length)).toBe(0);
  for (const client of clients) migrate(client, migrations);
  for (const client of clients) client.close();
  expect(contentsOf(file)).toStrictEqual({ version: migrations.length, users: [], titles: [] });
});

test('an older database is copied, and migrated once', async () => {
  const { file } = await currentDatabase();
  openConnection(file, nextMigrations).close();
  openConnection(file, nextMigrations).close();
  expect(contentsOf(file)).toStrictEqual({
    version: nextMigrations.length,
    users: ['anna', 'migrated 1'],
    titles: ['Milk'],
  });
  const backup = `${file}.v${migrations.length}.bak`;
  expect(contentsOf(backup)).toStrictEqual({ version: migrations.length, users: ['anna'], titles: ['Milk'] });
  expect(statSync(backup).mode & 0o777).toBe(0o600);
});

test.each(['cannot be copied first', 'fails'])('a migration that %s changes nothing', async (how) => {
  const { file } = await currentDatabase();
  const before = contentsOf(file);
  if (how !== 'fails') mkdirSync(`${file}.v${migrations.length}.bak`);
  const failing = how === 'fails' ? [{ name: how, sql: 'DELETE FROM users; SELECT nonsense;' }] : [];
  expect(() => openConnection(file, [...nextMigrations, ...failing])).toThrow(StoreUnavailable);
  expect(contentsOf(file)).toStrictEqual(before);
});

test('a database of a newer version is rejected with the advice to upgrade, and stays unchanged', async () => {
  const { file } = await currentDatabase();
  openConnection(file, nextMigrations).close();
  expect(await rejectionOf(file)).toContain('upgrade @deskside/todo');
});

test.each([
  ['with tables', 'CREATE TABLE notes (text TEXT)'],
  ['with a version', 'PRAGMA user_version = 1'],
  ['with an id', 'PRAGMA application_id = 7'],
])('a database of another program, %s, is rejected and stays unchanged', async (_, sql) => {
  const file = join(temporaryFolder(), 'other.sqlite');
  const database = new Database(file);
  database.exec(sql);
  database.close();
  expect(await rejectionOf(file)).toContain('belongs to another program');
});

test('a damaged database rejects calls with StoreUnavailable', async () => {
  const { file } = await currentDatabase();
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0xff, 4096));
  await using store = sqliteTaskStore({ file });
  await expect(store.list(anna, { status: 'all', limit: 9 })).rejects.toThrow(StoreUnavailable);
});

/** Why the store can't be opened. Checks that the attempt did not change the file. */
async function rejectionOf(file: string): Promise<string> {
  const before = readFileSync(file);
  const store = sqliteTaskStore({ file });
  const failure = await store
    .add(anna, { title: 'Milk', description: null })
    .catch((error: unknown) => error);
  await store[Symbol.asyncDispose]();
  expect(readFileSync(file).equals(before)).toBe(true);
  return failure instanceof StoreUnavailable ? failure.reason : `not rejected: ${String(failure)}`;
}

async function currentDatabase(): Promise<{ file: string }> {
  const file = join(temporaryFolder(), 'todo.sqlite');
  await using store = sqliteTaskStore({ file });
  await store.add(anna, { title: 'Milk', description: null });
  return { file };
}

function contentsOf(file: string): { version: unknown; users: unknown[]; titles: unknown[] } {
  const database = new Database(file, { readonly: true });
  const column = (sql: string): unknown[] => database.prepare(sql).pluck().all();
  const contents = {
    version: database.pragma('user_version', { simple: true }),
    users: column('SELECT id FROM users ORDER BY id'),
    titles: column('SELECT title FROM tasks ORDER BY id'),
  };
  database.close();
  return contents;
}
