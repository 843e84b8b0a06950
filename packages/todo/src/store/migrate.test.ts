import { temporaryFolder } from '@deskside/testkit';
import Database from 'better-sqlite3';
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { migrations } from './migrations.ts';
import { openConnection } from './sqlite-connection.ts';
import { openSqliteTaskStore } from './sqlite-task-store.ts';
import { StoreUnavailable } from './store-failures.ts';
import { nextMigrations } from './testing/next-migration.ts';
import { callOf } from './testing/store-under-test.ts';
import { startWorker } from './testing/worker.ts';

const anna = callOf('anna');

test('a new database is at the last version, needs no backup, and is opened with what a task store promises', () => {
  const folder = temporaryFolder();
  const database = openConnection(join(folder, 'todo.sqlite'), migrations);
  const settings = ['user_version', 'journal_mode', 'synchronous', 'foreign_keys'];
  const values = settings.map((name) => database.pragma(name, { simple: true }));
  const tables = database.prepare(
    "SELECT DISTINCT strict FROM pragma_table_list WHERE name NOT LIKE 'sqlite%'",
  );
  expect(tables.pluck().all()).toStrictEqual([1]);
  database.close();
  expect(values).toStrictEqual([migrations.length, 'wal', 2, 1]);
  expect(readdirSync(folder)).toStrictEqual(['todo.sqlite']);
});

test('an older database is backed up for its owner only, and migrated with all that refers to a rebuilt table', async () => {
  const { file, folder } = await currentDatabase();
  openConnection(file, nextMigrations).close();
  openConnection(file, nextMigrations).close();
  const backup = `${file}.v${migrations.length}.bak`;
  expect(readdirSync(folder).toSorted()).toStrictEqual(
    [file, backup].map((path) => path.slice(folder.length + 1)),
  );
  expect(statSync(backup).mode & 0o777).toBe(0o600);
  expect(contentsOf(file)).toStrictEqual({
    version: nextMigrations.length,
    users: ['anna', 'migrated 1'],
    titles: ['Milk'],
  });
  expect(contentsOf(backup)).toStrictEqual({ version: migrations.length, users: ['anna'], titles: ['Milk'] });
  await using store = openSqliteTaskStore({ file: backup });
  expect(await store.add(anna, { title: 'Bread', description: null })).toMatchObject({ id: 2 });
});

test('the backup holds what another connection wrote last', async () => {
  const { file } = await currentDatabase();
  await using store = openSqliteTaskStore({ file });
  await store.add(anna, { title: 'still in the log', description: null });
  openConnection(file, nextMigrations).close();
  const backup = contentsOf(`${file}.v${migrations.length}.bak`);
  expect(backup.titles).toStrictEqual(['Milk', 'still in the log']);
});

test('a migration that fails leaves everything as it was', async () => {
  const { file } = await currentDatabase();
  const before = contentsOf(file);
  const failing = [...nextMigrations, { name: 'failing', sql: 'DELETE FROM users; SELECT nonsense;' }];
  expect(() => openConnection(file, failing)).toThrow(StoreUnavailable);
  const orphaning = [...nextMigrations, { name: 'orphaning', sql: 'DELETE FROM users;' }];
  expect(() => openConnection(file, orphaning)).toThrow('would break 1 references');
  expect(contentsOf(file)).toStrictEqual(before);
});

test('of processes that migrate at once one does it, and all come up', async () => {
  const { file } = await currentDatabase();
  const migrators = Array.from({ length: 4 }, () => startWorker('migrator.ts'));
  for (const migrator of migrators) migrator.tell(file);
  await Promise.all(migrators.map((migrator) => migrator.printed(1)));
  for (const migrator of migrators) migrator.go();
  expect(await Promise.all(migrators.map((migrator) => migrator.ended))).toStrictEqual([0, 0, 0, 0]);
  expect(contentsOf(file)).toMatchObject({ version: nextMigrations.length, users: ['anna', 'migrated 1'] });
  expect(contentsOf(`${file}.v${migrations.length}.bak`)).toMatchObject({ version: migrations.length });
});

test('a newer database is refused, with the way out, and not touched', async () => {
  const { file } = await currentDatabase();
  openConnection(file, nextMigrations).close();
  expect(await refusal(file)).toContain('upgrade @deskside/todo');
});

test.each([
  ['with tables', 'CREATE TABLE notes (text TEXT)'],
  ['with a version', 'PRAGMA user_version = 1'],
  ['with an id', 'PRAGMA application_id = 7'],
])("another program's database %s is refused and not touched", async (_, sql) => {
  const file = join(temporaryFolder(), 'other.sqlite');
  const database = new Database(file);
  database.exec(sql);
  database.close();
  expect(await refusal(file)).toContain('belongs to another program');
});

test('a file that is no database is refused and not touched', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  writeFileSync(file, 'Dear diary, '.repeat(1000));
  expect(await refusal(file)).toContain(file);
});

test('a database that breaks later is unavailable', async () => {
  const { file } = await currentDatabase();
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0xff, 4096));
  await using store = openSqliteTaskStore({ file });
  await expect(store.list(anna, { status: 'all', limit: 9 })).rejects.toThrow(StoreUnavailable);
});

/** Answers why the store can't be opened, after making sure that the attempt left the file as it was. */
async function refusal(file: string): Promise<string> {
  const before = readFileSync(file);
  const store = openSqliteTaskStore({ file });
  const failure = await store
    .add(anna, { title: 'Milk', description: null })
    .catch((error: unknown) => error);
  await store[Symbol.asyncDispose]();
  expect(readFileSync(file).equals(before)).toBe(true);
  return failure instanceof StoreUnavailable ? failure.message : `not refused: ${String(failure)}`;
}

async function currentDatabase(): Promise<{ folder: string; file: string }> {
  const folder = temporaryFolder();
  const file = join(folder, 'todo.sqlite');
  await using store = openSqliteTaskStore({ file });
  await store.add(anna, { title: 'Milk', description: null });
  return { folder, file };
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
