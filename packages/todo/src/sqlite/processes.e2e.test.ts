import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { nextMigrations } from '../testing/next-migrations.ts';
import { countersOf, openPreviousStore } from '../testing/previous-version.ts';
import { callerContext } from '../testing/store-under-test.ts';
import { openWorker, type Worker } from '../testing/worker.ts';
import { migrations } from './migrations.ts';
import { SqliteTaskStore } from './sqlite-task-store.ts';

const ENDLESS = 1_000_000;
const ACKNOWLEDGED_BEFORE_KILL = 60;
const SHARED_TASKS = 30;

test.each([
  ['one user', ['anna', 'anna']],
  ['two users', ['anna', 'ben']],
] as const)('two processes killed while they write for %s lose no acknowledged task', async (_, users) => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  const writers = await Promise.all(
    users.map((user, index) => openWriter(file, user, `writer ${index}`, ENDLESS)),
  );
  for (const writer of writers) writer.start();
  await Promise.all(writers.map((writer) => writer.printed(ACKNOWLEDGED_BEFORE_KILL)));
  for (const writer of writers) writer.kill();
  expect(await Promise.all(writers.map((writer) => writer.ended))).toStrictEqual([null, null]);

  const acknowledged = writers.flatMap((writer) => writer.lines);
  expect(new Set(acknowledged.map(idOf)).size).toBe(acknowledged.length);
  const found = readDatabase(file);
  expect(found.integrity).toBe('ok');
  expect(found.tasks).toStrictEqual(expect.arrayContaining(acknowledged));
  expect(found.audited).toBe(found.tasks.length);

  await using store = new SqliteTaskStore({ file });
  const next = await store.add(callerContext('anna'), { title: 'after the crash', description: null });
  expect(next.id).toBe(1 + found.tasks.filter((task) => task.includes('"anna"')).length);
});

test('two processes that create one database at the same time both add their task', async () => {
  for (let round = 0; round < 3; round += 1) {
    const file = join(temporaryFolder(), 'new', 'todo.sqlite');
    const writers = await Promise.all(['a', 'b'].map((label) => openWriter(file, 'anna', label, 1)));
    for (const writer of writers) writer.start();
    expect(await Promise.all(writers.map((writer) => writer.ended))).toStrictEqual([0, 0]);
    const ids = writers.flatMap((writer) => writer.lines).map(idOf);
    expect(ids.toSorted()).toStrictEqual(['anna 1', 'anna 2']);
  }
});

test('of four processes that migrate one database at the same time one migrates it, and all open it', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  {
    await using store = new SqliteTaskStore({ file });
    await store.add(callerContext('anna'), { title: 'Milk', description: null });
  }
  const migrators = await Promise.all(
    Array.from({ length: 4 }, () => openWorker({ role: 'migrator', file })),
  );
  for (const migrator of migrators) migrator.start();
  expect(await Promise.all(migrators.map((migrator) => migrator.ended))).toStrictEqual([0, 0, 0, 0]);
  expect(readDatabase(file)).toMatchObject({
    version: nextMigrations.length,
    users: ['anna', 'migrated 1'],
  });
  expect(readDatabase(`${file}.v${migrations.length}.bak`)).toMatchObject({ version: migrations.length });
});

test('a process of the previous version and one of this version write to one file, which the new one migrates with a backup', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  const [before, now] = await Promise.all([
    openWorker({ role: 'previous', file, user: 'anna', label: 'before', count: ENDLESS }),
    openWriter(file, 'anna', 'now', SHARED_TASKS),
  ]);
  before.start();
  await before.printed(SHARED_TASKS);
  now.start();
  expect(await now.ended).toBe(0);
  // The previous version goes on after the migration.
  await before.printed(before.lines.length + SHARED_TASKS);
  before.kill();
  expect(await before.ended).toBeNull();

  const acknowledged = [before, now].flatMap(({ lines }) => lines);
  expect(new Set(acknowledged.map(idOf)).size).toBe(acknowledged.length);
  const found = readDatabase(file);
  expect(found).toMatchObject({ integrity: 'ok', version: migrations.length });
  expect(found.tasks).toStrictEqual(expect.arrayContaining(acknowledged));
  expect(found.audited).toBe(found.tasks.length);
  const { counted, actual } = countersOf(file);
  expect(counted).toStrictEqual(actual);
  const backup = readDatabase(`${file}.v3.bak`);
  expect(backup).toMatchObject({ integrity: 'ok', version: 3 });
  expect(backup.tasks).toStrictEqual(found.tasks.slice(0, backup.tasks.length));

  await using store = new SqliteTaskStore({ file });
  const last = found.tasks
    .map((line) => JSON.parse(line))
    .findLast(({ title }) => title.startsWith('before'));
  const words = last.title.split(' ');
  const search = await store.list(callerContext('anna'), { status: 'all', limit: 1, words });
  expect(search.tasks).toMatchObject([{ id: last.id }]);
  const late = await openWorker({ role: 'previous', file, user: 'anna', label: 'late', count: 1 });
  late.start();
  expect(await late.ended).toBe(1);
  expect(late.lines).toStrictEqual([]);
});

test('a process that is killed three times while it migrates leaves the file as it was, and the next one finds every task', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  const backup = `${file}.v3.bak`;
  const TASKS = 20_000;
  {
    openPreviousStore(file)[Symbol.dispose]();
    const database = new Database(file);
    database.exec(`
      INSERT INTO users VALUES ('anna', ${TASKS});
      WITH RECURSIVE numbers (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM numbers WHERE id < ${TASKS})
      INSERT INTO tasks (user_id, id, title, description, completed, created_at)
      SELECT 'anna', id, 'Купить чай ' || id, 'milk, eggs and bread', 0, 1766226600 FROM numbers`);
    database.close();
  }
  for (let kills = 0; kills < 3; kills += 1) {
    rmSync(backup, { force: true });
    const opener = await openWorker({ role: 'opener', file });
    opener.start();
    // The migration begins when the backup is complete, and takes longer than this process needs to see it.
    await expect.poll(() => existsSync(backup), { interval: 1 }).toBe(true);
    opener.kill();
    expect(await opener.ended).toBeNull();
    const found = readDatabase(file);
    expect(found).toMatchObject({ integrity: 'ok', version: 3 });
    expect(found.tasks).toHaveLength(TASKS);
  }
  await using store = new SqliteTaskStore({ file });
  const page = await store.list(callerContext('anna'), { status: 'all', limit: 2, words: ['чай', '777'] });
  expect(page.tasks.map(({ id }) => id)).toStrictEqual([7779, 7778]);
  expect(page.remaining).toBe(9);
  expect(readDatabase(file)).toMatchObject({ integrity: 'ok', version: migrations.length });
  expect(readDatabase(backup)).toMatchObject({ integrity: 'ok', version: 3 });
});

function openWriter(file: string, user: string, label: string, count: number): Promise<Worker> {
  return openWorker({ role: 'writer', file, user, label, count });
}

/** User and id of a printed task. */
function idOf(line: string): string {
  const { user, id } = JSON.parse(line);
  return `${user} ${id}`;
}

/** Tasks have the form in which writers print them. */
function readDatabase(file: string) {
  const database = new Database(file);
  const rows = database.prepare<[], object>('SELECT user_id AS user, id, title FROM tasks').all();
  const content = {
    integrity: database.pragma('integrity_check', { simple: true }),
    version: database.pragma('user_version', { simple: true }),
    users: database.prepare('SELECT id FROM users ORDER BY id').pluck().all(),
    tasks: rows.map((row) => JSON.stringify(row)),
    audited: database.prepare("SELECT count(*) FROM audit WHERE outcome = 'ok'").pluck().get(),
  };
  database.close();
  return content;
}
