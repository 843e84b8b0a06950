import fs, { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { migrations } from '../sqlite/migrate.ts';
import { sqliteTaskStore } from '../sqlite/sqlite-task-store.ts';
import type { TaskStore } from '../store/task-store.ts';
import { callerContext } from '../testing/store-under-test.ts';
import { diagnose as diagnoseFor } from './doctor.ts';

const diagnose = (database: string) =>
  diagnoseFor({ database, migrationUrl: undefined, connections: 10 }, ['owner']);

async function fill(file: string): Promise<TaskStore> {
  const store = sqliteTaskStore({ file });
  for (const user of ['anna', 'anna', 'ben']) {
    await store.add(callerContext(user), { title: 'Milk', description: null });
  }
  await store.complete(callerContext('anna'), 1);
  return store;
}

const healthyFacts = (file: string) => [
  ['Database', file],
  ['Permissions', '0600', 'detail'],
  ['Schema version', String(migrations.length), 'detail'],
  ['Tasks', '2 pending, 1 completed'],
  ['Users', 'anna: 1 pending, 1 completed\nben: 1 pending, 0 completed', 'detail'],
];

test('doctor reports path, permissions, schema version and tasks per user, also those in the write-ahead log, and changes no file', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'todo.sqlite');
  const store = await fill(file);
  expect(await diagnose(file)).toMatchObject({ facts: healthyFacts(file), problems: [] });
  await store[Symbol.asyncDispose]();
  const before = readFileSync(file);
  expect(await diagnose(file)).toStrictEqual({
    program: expect.stringMatching(/^deskside-todo \d/),
    facts: healthyFacts(file),
    problems: [],
  });
  expect(readdirSync(folder)).toStrictEqual(['todo.sqlite']);
  expect(readFileSync(file).equals(before)).toBe(true);
});

test('doctor names rows that another program has written, and the next task is added', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  await using store = await fill(file);
  const database = new Database(file);
  database.exec(`
    INSERT INTO tasks (user_id, id, title, completed, created_at) VALUES ('anna', 3, 'by hand', 0, 1);
    UPDATE tasks SET due_date = '2026-02-31', every = 'often' WHERE user_id = 'ben'`);
  for (const value of [
    "due_date = 'tomorrow'",
    'completed = 7',
    'priority = 9',
    "waits_for = 'x'",
    'created_at = 9e17',
  ])
    expect(() => database.exec(`UPDATE tasks SET ${value}`), value).toThrow(/CHECK|malformed/);
  database.close();
  expect((await diagnose(file)).problems.map(({ problem }) => problem)).toStrictEqual([
    'Task 3 of anna has an id that no server has given: the next task gets a higher one.',
    'Task 1 of ben is due on 2026-02-31, which does not exist.',
    'Task 1 of ben comes back "often", which no server understands.',
  ]);
  const milk = { title: 'Milk', description: null };
  expect(await store.add(callerContext('anna'), milk)).toMatchObject({ id: 4 });
  expect(await store.complete(callerContext('ben'), 1)).toMatchObject({ completed: true, nextId: null });
  expect((await diagnose(file)).problems).toHaveLength(2);
});

test('doctor accepts a missing file in a writable folder, and creates neither', async () => {
  const folder = temporaryFolder();
  const { facts, problems } = await diagnose(join(folder, 'new', 'todo.sqlite'));
  expect(facts).toStrictEqual([['Database', expect.stringContaining('does not exist')]]);
  expect(problems).toStrictEqual([]);
  expect(readdirSync(folder)).toStrictEqual([]);
});

test('doctor accepts an empty file and a database in memory', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  writeFileSync(file, '', { mode: 0o600 });
  expect(await diagnose(file)).toMatchObject({ problems: [] });
  expect(await diagnose(':memory:')).toMatchObject({ problems: [] });
});

test('doctor reports a missing file that cannot be created', async () => {
  const file = join(temporaryFolder(), 'diary');
  writeFileSync(file, 'a file where the folder should be');
  expect((await diagnose(join(file, 'todo.sqlite'))).problems).toStrictEqual([
    { problem: expect.stringContaining('cannot be created'), remedy: expect.any(String) },
  ]);
});

/** The system refuses access to a path, also to root. */
function refuse(path: string, code: string): void {
  const { accessSync } = fs;
  const mock = vi.spyOn(fs, 'accessSync').mockImplementation((target, mode) => {
    if (target === path && (mode ?? 0) & fs.constants.W_OK) throw Object.assign(new Error(code), { code });
    accessSync(target, mode);
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    mock.mockRestore();
    syncBuiltinESMExports();
  });
}

/** What a database with tasks becomes. */
const changed = (change: (file: string) => void) => async (file: string) => {
  await (await fill(file))[Symbol.asyncDispose]();
  change(file);
};

test.each<[string, (file: string) => void | Promise<void>, RegExp]>([
  ['a folder', (file) => mkdirSync(file), /is not a file\. Choose a file/],
  [
    'a file that is not a database',
    (file) => writeFileSync(file, 'Dear diary, '.repeat(1000), { mode: 0o600 }),
    /not a database Correct the cause/,
  ],
  [
    'a damaged database',
    changed((file) => writeFileSync(file, readFileSync(file).fill(0xff, 4096))),
    /(?:damaged|malformed).* restore a backup|(?:damaged|malformed).* Correct the cause/,
  ],
  ['a database that other users can read', changed((file) => chmodSync(file, 0o644)), /chmod 600/],
  [
    'a folder that cannot be changed',
    changed((file) => refuse(dirname(file), 'EACCES')),
    /cannot create files in .*, as SQLite does beside the database\. Run: chmod u\+rwx \S+ as its owner/,
  ],
  [
    'a file system that only reads',
    changed((file) => refuse(file, 'EROFS')),
    /is on a file system that only reads\. Copy it to another one/,
  ],
])('doctor reports %s as a problem with a remedy', async (_, prepare, expected) => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  await prepare(file);
  const { problems } = await diagnose(file);
  expect(problems.map(({ problem, remedy }) => `${problem} ${remedy}`)).toStrictEqual([
    expect.stringMatching(expected),
  ]);
});

test('doctor says what is missing without a home folder', async () => {
  expect(await diagnose('')).toMatchObject({
    facts: [['Database', 'none']],
    problems: [{ remedy: expect.stringContaining('TODO_DATABASE_URL') }],
  });
});
