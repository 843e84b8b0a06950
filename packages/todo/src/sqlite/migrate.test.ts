import { readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { StoreUnavailable } from '../store/task-store.ts';
import { nextMigrations } from '../testing/next-migrations.ts';
import { countersOf, openPreviousStore, PREVIOUS_VERSIONS } from '../testing/previous-version.ts';
import { type TaskText, wordsOfTask } from '../store/words.ts';
import { callerContext } from '../testing/store-under-test.ts';
import { openConnection } from './connection.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations.ts';
import { SqliteTaskStore } from './sqlite-task-store.ts';

const anna = callerContext('anna');

test('a new database has the last schema version, strict tables and durable settings, and no backup', () => {
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

test('an older database is backed up with mode 0600, and migrated with all references to a rebuilt table', async () => {
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
  await using store = new SqliteTaskStore({ file: backup });
  expect(await store.add(anna, { title: 'Bread', description: null })).toMatchObject({ id: 2 });
});

test.each(PREVIOUS_VERSIONS)(
  'a database of version %d is backed up and gets counters and words, also for tasks of a process that still runs',
  async (version) => {
    const file = join(temporaryFolder(), 'todo.sqlite');
    using previous = openPreviousStore(file, version);
    for (let number = 1; number <= 1200; number += 1) previous.add('anna', `task ${number}`);
    previous.complete('anna', 7);
    await using store = new SqliteTaskStore({ file });
    expect(await store.list(anna, { status: 'pending', limit: 1 })).toMatchObject({ remaining: 1198 });
    expect(readdirSync(join(file, '..'))).toContain(`todo.sqlite.v${version}.bak`);

    expect(previous.add('anna', 'from the previous version')).toBe(1201);
    expect(await store.add(anna, { title: 'from this version', description: null })).toMatchObject({
      id: 1202,
    });
    previous.complete('anna', 1202);
    previous.complete('anna', 1202);
    previous.remove('anna', 1);
    await store.remove(anna, 7);
    await store.update(anna, 9, { title: 'x' });
    expect(await store.list(anna, { status: 'all', limit: 1, afterId: 1001 })).toMatchObject({
      remaining: 997,
    });
    const search = async (...words: string[]) =>
      (await store.list(anna, { status: 'all', limit: 3, words })).tasks.map(({ id }) => id);
    expect(await search('task', '12')).toStrictEqual([1200, 129, 128]);
    expect(await search('version')).toStrictEqual([1202, 1201]);
    expect(await search('task', '7')).toStrictEqual([799, 798, 797]);
    previous.rename('anna', 800, 'Купить чай');
    expect(await search('чай')).toStrictEqual([800]);
    expect(await search('task', '800')).toStrictEqual([]);
    previous.remove('anna', 799);
    expect(await search('task', '7')).toStrictEqual([798, 797, 796]);
    await store.restore(anna, 7);
    expect(
      (await store.list(anna, { status: 'all', limit: 3, words: ['7'], afterId: 70 })).tasks,
    ).toMatchObject([{ id: 7 }]);
    await store[Symbol.asyncDispose]();
    await using reopened = new SqliteTaskStore({ file });
    await reopened.get(anna, 9);
    // This change comes after that which adds the words of what the previous version has written.
    await reopened.complete(anna, 9);
    expect(wordsIn(file)).toStrictEqual(wordsOfTasksIn(file));
    const { counted, actual } = countersOf(file);
    expect(counted).toStrictEqual(actual);
    expect(() => openPreviousStore(file)).toThrow(
      expect.objectContaining({ reason: expect.stringContaining('upgrade @deskside/todo') }),
    );
  },
);

test('a database of version 6 keeps all columns of all tasks, also of deleted and claimed ones', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  const before = openConnection(file, migrations.slice(0, 6));
  before.exec(`
    INSERT INTO users VALUES ('anna', 3);
    INSERT INTO tasks (user_id, id, title, description, completed, created_at, due_date, project, priority, waits_for, claimed_by, claim_key, claimed_until)
    VALUES ('anna', 1, 'Milk', 'oat', 0, 1766226600, '2025-12-24', 'home', 2, '[2]', 'Claude Code', 'key', 99999999999999),
      ('anna', 2, 'Bread', NULL, 1, 1766226600, NULL, NULL, NULL, '[]', NULL, NULL, NULL);
    INSERT INTO deleted_tasks (user_id, id, title, description, completed, created_at, due_date, project, priority, waits_for, deleted_at)
    VALUES ('anna', 3, 'Eggs', 'six', 0, 1766226600, '2025-12-25', 'home', 1, '[1]', ${Date.now()});
    INSERT INTO idempotency_keys VALUES ('anna', 'key', 'digest', 1, ${Date.now()});`);
  before.close();
  await using store = new SqliteTaskStore({ file });
  const milk = {
    id: 1,
    title: 'Milk',
    description: 'oat',
    completed: false,
    createdAt: '2025-12-20T10:30:00Z',
    dueDate: '2025-12-24',
    project: 'home',
    priority: 2,
    after: [2],
    every: null,
    nextId: null,
  };
  expect((await store.list(anna, { status: 'all', limit: 9 })).tasks).toStrictEqual([
    {
      ...milk,
      id: 2,
      title: 'Bread',
      description: null,
      completed: true,
      dueDate: null,
      project: null,
      priority: null,
      after: [],
    },
    { ...milk, claim: { by: 'Claude Code', until: new Date(99_999_999_999_999) } },
  ]);
  const eggs = { id: 3, title: 'Eggs', description: 'six', dueDate: '2025-12-25', priority: 1, after: [1] };
  expect(await store.restore(anna, 3)).toStrictEqual({ ...milk, ...eggs });
  const holder = { key: 'other', label: 'other' };
  expect(await store.claim(anna, { id: 1, holder, leaseMs: 1000 })).toMatchObject({ by: 'Claude Code' });
  expect(await store.tokens.read()).toStrictEqual([]);
});

test('a database of version 8 gets the words that searches look for now, also for what a process that still runs adds', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  const previous = openConnection(file, migrations.slice(0, 8));
  onTestFinished(() => void previous.close());
  const add = previous.prepare(
    "INSERT INTO tasks (user_id, id, title, completed, created_at, has_words) VALUES ('anna', ?, ?, 0, 1766226600, 1)",
  );
  const addWords = previous.prepare(
    "INSERT OR IGNORE INTO task_words (user_id, word, task_id) SELECT 'anna', value, ? FROM json_each(?)",
  );
  const addAs = (id: number, title: string, words: readonly string[]) => {
    add.run(id, title);
    addWords.run(id, JSON.stringify(words));
  };
  previous.exec("INSERT INTO users VALUES ('anna', 3)");
  addAs(1, 'Milk for Łódź', ['milk', 'for', 'łodz']);
  addAs(2, 'Milk', ['milk']);
  await using store = new SqliteTaskStore({ file });
  const search = async (word: string) =>
    (await store.list(anna, { status: 'all', limit: 9, words: [word] })).tasks.map(({ id }) => id);
  expect(await search('lodz')).toStrictEqual([1]);
  addAs(3, 'Straße strasse ŁØĐŦĦI', ['straße', 'strasse', 'łøđŧħı']);
  expect(await search('strasse')).toStrictEqual([3]);
  expect(await search('lodthi')).toStrictEqual([3]);
  expect(wordsIn(file)).toStrictEqual(
    [
      ['for', 1],
      ['lodz', 1],
      ['milk', 1],
      ['milk', 2],
      ['lodthi', 3],
      ['strasse', 3],
    ].map(([word, id]) => JSON.stringify({ word, id })),
  );
});

test('the backup has mode 0600 although another file has its temporary name', async () => {
  const { file, folder } = await currentDatabase();
  const backup = `${file}.v${migrations.length}.bak`;
  const elsewhere = join(folder, 'elsewhere');
  writeFileSync(elsewhere, '', { mode: 0o644 });
  symlinkSync(elsewhere, `${backup}.partial`);
  openConnection(file, nextMigrations).close();
  expect(statSync(backup).mode & 0o777).toBe(0o600);
  expect(readFileSync(elsewhere, 'utf8')).toBe('');
});

test('the backup contains the last write of another connection', async () => {
  const { file } = await currentDatabase();
  await using store = new SqliteTaskStore({ file });
  await store.add(anna, { title: 'only in the write-ahead log', description: null });
  openConnection(file, nextMigrations).close();
  const backup = contentsOf(`${file}.v${migrations.length}.bak`);
  expect(backup.titles).toStrictEqual(['Milk', 'only in the write-ahead log']);
});

test('a failed migration changes nothing', async () => {
  const { file } = await currentDatabase();
  const before = contentsOf(file);
  const failing = [...nextMigrations, { name: 'failing', sql: 'DELETE FROM users; SELECT nonsense;' }];
  expect(() => openConnection(file, failing)).toThrow(StoreUnavailable);
  const orphaning = [...nextMigrations, { name: 'orphaning', sql: 'DELETE FROM users;' }];
  expect(() => openConnection(file, orphaning)).toThrow(
    expect.objectContaining({ reason: expect.stringContaining('would break 1 references') }),
  );
  expect(contentsOf(file)).toStrictEqual(before);
});

test('the backup is made under the write lock', async () => {
  const { file } = await currentDatabase();
  const connection = openConnection(file, migrations);
  const other = new Database(file, { timeout: 0 });
  onTestFinished(() => {
    connection.close();
    other.close();
  });
  const errors: unknown[] = [];
  migrate(connection, nextMigrations, () => {
    try {
      other.exec('DELETE FROM tasks');
    } catch (error) {
      errors.push(error);
    }
  });
  expect(errors).toMatchObject([{ code: 'SQLITE_BUSY' }]);
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

test('a file that is not a database is rejected and stays unchanged', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  writeFileSync(file, 'Dear diary, '.repeat(1000));
  expect(await rejectionOf(file)).toContain(file);
});

test('a damaged database rejects calls with StoreUnavailable', async () => {
  const { file } = await currentDatabase();
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0xff, 4096));
  await using store = new SqliteTaskStore({ file });
  await expect(store.list(anna, { status: 'all', limit: 9 })).rejects.toThrow(StoreUnavailable);
});

/** Why the store can't be opened. Checks that the attempt did not change the file. */
async function rejectionOf(file: string): Promise<string> {
  const before = readFileSync(file);
  const store = new SqliteTaskStore({ file });
  const failure = await store
    .add(anna, { title: 'Milk', description: null })
    .catch((error: unknown) => error);
  await store[Symbol.asyncDispose]();
  expect(readFileSync(file).equals(before)).toBe(true);
  return failure instanceof StoreUnavailable ? failure.reason : `not rejected: ${String(failure)}`;
}

async function currentDatabase(): Promise<{ folder: string; file: string }> {
  const folder = temporaryFolder();
  const file = join(folder, 'todo.sqlite');
  await using store = new SqliteTaskStore({ file });
  await store.add(anna, { title: 'Milk', description: null });
  return { folder, file };
}

function wordsIn(file: string): unknown[] {
  return rowsOf(file, 'SELECT word, task_id AS id FROM task_words ORDER BY id, word').map((row) =>
    JSON.stringify(row),
  );
}

function wordsOfTasksIn(file: string): unknown[] {
  return rowsOf(file, 'SELECT id, title, description FROM tasks ORDER BY id').flatMap(({ id, ...task }) =>
    wordsOfTask(task)
      .toSorted()
      .map((word) => JSON.stringify({ word, id })),
  );
}

function rowsOf(file: string, sql: string): (TaskText & { readonly id: number })[] {
  const database = new Database(file, { readonly: true });
  const rows = database.prepare<[], TaskText & { readonly id: number }>(sql).all();
  database.close();
  return rows;
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
