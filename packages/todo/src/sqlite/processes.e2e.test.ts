import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { diagnose } from '../commands/doctor.ts';
import { callerContext } from '../testing/store-under-test.ts';
import { openWorker, type Worker } from '../testing/worker.ts';
import { migrations } from './migrations.ts';
import { SqliteTaskStore } from './sqlite-task-store.ts';

const ENDLESS = 1_000_000;
const ACKNOWLEDGED_BEFORE_KILL = 60;
const TASKS = 20_000;

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
  const next = "INSERT INTO users SELECT 'migrated ' || count(*), 0 FROM users";
  const migrators = await Promise.all(
    Array.from({ length: 4 }, () => openWorker({ role: 'migrator', file, next })),
  );
  for (const migrator of migrators) migrator.start();
  expect(await Promise.all(migrators.map((migrator) => migrator.ended))).toStrictEqual([0, 0, 0, 0]);
  expect(readDatabase(file)).toMatchObject({
    version: migrations.length + 1,
    users: ['anna', 'migrated 1'],
  });
});

test('a process that writes while another one migrates loses no task, and goes on', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  const writer = await openWriter(file, 'anna', 'writer', ENDLESS);
  writer.start();
  await writer.printed(ACKNOWLEDGED_BEFORE_KILL);
  const migrator = await openWorker({
    role: 'migrator',
    file,
    next: 'ALTER TABLE tasks ADD COLUMN shelf TEXT',
  });
  migrator.start();
  expect(await migrator.ended).toBe(0);
  await writer.printed(writer.lines.length + ACKNOWLEDGED_BEFORE_KILL);
  writer.kill();
  await writer.ended;
  const found = readDatabase(file);
  expect(found).toMatchObject({ integrity: 'ok', version: migrations.length + 1 });
  expect(found.tasks).toStrictEqual(expect.arrayContaining([...writer.lines]));
});

test('a process that is killed three times while it migrates leaves the file as it was, and the next one migrates it', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  // More than SQLite keeps in memory, so that most of it is in the log before the end.
  const next = `
    UPDATE tasks SET title = title || ', migrated';
    CREATE TABLE copies_of_tasks (user_id text, id integer, number integer, title text) STRICT;
    WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 100)
    INSERT INTO copies_of_tasks SELECT user_id, id, number, title FROM numbers, tasks`;
  {
    await using store = new SqliteTaskStore({ file });
    const all = Array.from({ length: TASKS }, (_, index) => ({ title: `task ${index}`, description: null }));
    await store.addAll(callerContext('anna'), all);
  }
  const before = readDatabase(file);
  expect(before.tasks).toHaveLength(TASKS);
  for (let kills = 0; kills < 3; kills += 1) {
    const migrator = await openWorker({ role: 'migrator', file, next });
    migrator.start();
    await expect.poll(() => sizeOf(`${file}-wal`), { interval: 1 }).toBeGreaterThan(5_000_000);
    migrator.kill();
    expect(await migrator.ended).toBeNull();
    expect(readDatabase(file)).toStrictEqual(before);
  }
  const migrator = await openWorker({ role: 'migrator', file, next });
  migrator.start();
  expect(await migrator.ended).toBe(0);
  const { integrity, version, tasks } = readDatabase(file);
  expect({ integrity, version }).toStrictEqual({ integrity: 'ok', version: migrations.length + 1 });
  expect(tasks).toHaveLength(TASKS);
  expect(tasks.every((line) => line.includes(', migrated'))).toBe(true);
});

function openWriter(file: string, user: string, label: string, count: number): Promise<Worker> {
  return openWorker({ role: 'writer', file, user, label, count });
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
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

test('after its log was deleted a server answers UNAVAILABLE, while another process writes, and doctor names it', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  const anna = callerContext('anna');
  await using store = new SqliteTaskStore({ file });
  await store.add(anna, { title: 'acknowledged', description: null });
  for (const part of ['-wal', '-shm']) rmSync(`${file}${part}`);
  const writer = await openWriter(file, 'anna', 'other', 3);
  writer.start();
  expect(await writer.ended, writer.problems).toBe(0);
  for (const call of [() => store.list(anna, { status: 'all', limit: 9 }), () => store.complete(anna, 1)])
    await expect(call()).rejects.toMatchObject({ failure: { code: 'UNAVAILABLE' } });
  const settings = { database: file, migrationUrl: undefined, connections: 1 };
  expect((await diagnose(settings, ['anna'])).problems).toMatchObject([
    { problem: expect.stringContaining(`The process ${process.pid} uses files`) },
  ]);
});
