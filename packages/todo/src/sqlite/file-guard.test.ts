import fs, {
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { diagnose } from '../commands/doctor.ts';
import { callerContext } from '../testing/store-under-test.ts';
import type { TaskStore } from '../store/task-store.ts';
import { FileGuard } from './file-guard.ts';
import { copyDatabase } from './migrate.ts';
import { sqliteTaskStore } from './sqlite-task-store.ts';

const anna = callerContext('anna');
const everything = { status: 'all', limit: 9 } as const;
const task = (title: string) => ({ title, description: null });
const inodeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.ino;
const UNAVAILABLE = {
  reason: expect.stringContaining('was deleted, replaced or overwritten while this server runs'),
  failure: { code: 'UNAVAILABLE', hint: expect.stringContaining('restart the todo server') },
};

async function openWithTasks(...titles: readonly string[]) {
  const file = join(temporaryFolder(), 'todo.sqlite');
  const store = sqliteTaskStore({ file });
  for (const title of titles) await store.add(anna, task(title));
  return { file, store };
}

async function titlesIn(store: TaskStore): Promise<readonly string[]> {
  return (await store.list(anna, everything)).tasks.map(({ title }) => title);
}

async function expectUnavailable(store: TaskStore): Promise<void> {
  const calls = [store.add(anna, task('lost')), store.list(anna, everything), store.complete(anna, 1)];
  for (const each of await Promise.allSettled(calls))
    expect(each).toMatchObject({ status: 'rejected', reason: UNAVAILABLE });
}

test('without its log each call is unavailable, doctor names the process, and closing saves what is in it', async () => {
  const { file, store } = await openWithTasks('a', 'b');
  rmSync(`${file}-wal`);
  rmSync(`${file}-shm`);
  await expectUnavailable(store);
  const settings = { database: file, migrationUrl: undefined, connections: 1 };
  expect((await diagnose(settings, ['anna'])).problems).toMatchObject([
    { problem: expect.stringContaining(`The process ${process.pid} uses files`) },
  ]);
  await store[Symbol.asyncDispose]();
  await using next = sqliteTaskStore({ file });
  expect(await titlesIn(next)).toStrictEqual(['b', 'a']);
});

test('a backup that is copied over the open file makes each call unavailable, also of a second server, and stays as it is', async () => {
  const { file, store } = await openWithTasks('kept');
  const backup = join(temporaryFolder(), 'backup.sqlite');
  copyDatabase(file, backup);
  for (let number = 0; number < 300; number += 1) await store.add(anna, task(`later ${number}`));
  const other = sqliteTaskStore({ file });
  await other.add(anna, task('of the other'));
  copyFileSync(backup, file);
  for (const server of [store, other]) await expectUnavailable(server);
  for (const server of [store, other]) await server[Symbol.asyncDispose]();
  expect(readFileSync(file).equals(readFileSync(backup))).toBe(true);
  // As the reason says.
  for (const part of ['-wal', '-shm']) rmSync(`${file}${part}`, { force: true });
  await using next = sqliteTaskStore({ file });
  expect(await titlesIn(next)).toStrictEqual(['kept']);
});

test('a file that was replaced makes each call unavailable, and stays unchanged for its next server', async () => {
  const { file, store } = await openWithTasks('lost');
  const { file: backup, store: other } = await openWithTasks('from the backup');
  await other[Symbol.asyncDispose]();
  for (const name of [file, `${file}-wal`, `${file}-shm`]) rmSync(name);
  renameSync(backup, file);
  const before = readFileSync(file);
  await expectUnavailable(store);
  expect(readFileSync(file).equals(before)).toBe(true);
  await using next = sqliteTaskStore({ file });
  await next.add(anna, task('from the next server'));
  await store[Symbol.asyncDispose]();
  expect(existsSync(`${file}-wal`)).toBe(true);
  await using another = sqliteTaskStore({ file });
  expect(await titlesIn(another)).toStrictEqual(['from the next server', 'from the backup']);
});

test('while its file is moved away each call is unavailable, and moved back it is used again', async () => {
  const { file, store } = await openWithTasks('a');
  renameSync(file, `${file}.away`);
  await expectUnavailable(store);
  renameSync(`${file}.away`, file);
  await store.add(anna, task('b'));
  await store[Symbol.asyncDispose]();
  await using next = sqliteTaskStore({ file });
  expect(await titlesIn(next)).toStrictEqual(['b', 'a']);
});

test('what SQLite itself does to the file in several connections is no alarm', async () => {
  const { file, store } = await openWithTasks('a');
  await using other = sqliteTaskStore({ file });
  for (const page of [1, 2, 3, 4]) {
    const tasks = Array.from({ length: 400 }, (_, index) => ({
      title: `${index}`,
      description: 'x'.repeat(999),
    }));
    await other.addAll(anna, tasks);
    await store.addAll(anna, tasks.slice(0, page));
    // Each empties the log.
    await other.removeForGood(anna, page);
    await store.removeForGood(anna, page + 10);
    const maintenance = new Database(file);
    maintenance.exec('VACUUM');
    maintenance.pragma('wal_checkpoint(RESTART)');
    maintenance.close();
    expect(await store.get(anna, 20)).toBeDefined();
    expect(await other.get(anna, 20)).toBeDefined();
  }
  await store[Symbol.asyncDispose]();
});

test('a process that was killed while it moved pages into the file is no alarm', async () => {
  const { file, store } = await openWithTasks('a');
  await store.list(anna, everything);
  // https://sqlite.org/walformat.html: the frames that it wanted to move.
  writeSync(openSync(`${file}-shm`, 'r+'), Buffer.from([1, 0, 0, 0]), 0, 4, 128);
  utimesSync(file, 1, 1);
  expect(await titlesIn(store)).toStrictEqual(['a']);
  await store[Symbol.asyncDispose]();
});

test('a file that cannot be guarded fails its call only', async () => {
  const { openSync } = fs;
  const mock = vi.spyOn(fs, 'openSync').mockImplementation((path, ...rest) => {
    if (String(path).endsWith('-shm')) throw Object.assign(new Error('too many'), { code: 'EMFILE' });
    return openSync(path, ...rest);
  });
  syncBuiltinESMExports();
  await using store = sqliteTaskStore({ file: join(temporaryFolder(), 'todo.sqlite') });
  const added = await Promise.allSettled([store.add(anna, task('a'))]);
  mock.mockRestore();
  syncBuiltinESMExports();
  expect(added).toMatchObject([{ reason: { reason: expect.stringContaining("Can't open") } }]);
  expect(await store.add(anna, task('b'))).toMatchObject({ id: 1 });
});

test.skipIf(!existsSync('/proc/self/fd'))('opened again and again, the index is open once', async () => {
  const { file, store } = await openWithTasks('a');
  for (let times = 0; times < 3; times += 1) {
    await using again = sqliteTaskStore({ file });
    await again.list(anna, everything);
  }
  const open = readdirSync('/proc/self/fd').map((name) => inodeOf(`/proc/self/fd/${name}`));
  // By SQLite, the store, and for the next store.
  expect(open.filter((inode) => inode === inodeOf(`${file}-shm`))).toHaveLength(3);
  await store[Symbol.asyncDispose]();
});

/** @param work what happens before each of the reads of the index, with another server that has added a row */
function guardWith(work: (other: Database.Database, insert: () => void) => void): FileGuard {
  const file = join(temporaryFolder(), 'todo.sqlite');
  const [client, other] = [new Database(file), new Database(file)];
  for (const each of [client, other]) each.pragma('journal_mode = WAL');
  client.exec('CREATE TABLE pages (text)');
  const guard = new FileGuard(file, client);
  const insert = () => void other.exec("INSERT INTO pages VALUES ('one')");
  insert();
  // As if it had written its pages.
  utimesSync(file, 1, 1);
  const { readSync } = fs;
  const mock = vi.spyOn(fs, 'readSync').mockImplementation((...args: readonly unknown[]) => {
    work(other, insert);
    return Reflect.apply(readSync, fs, args);
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    mock.mockRestore();
    syncBuiltinESMExports();
    other.close();
    guard.close();
  });
  return guard;
}

test.each([1, 2, 3, 4, 5])(
  '%i checkpoints of another server while the state of the files is read are no change of the files',
  (count) => {
    let checkpoints = 0;
    const guard = guardWith((other, insert) => {
      if (checkpoints === count) return;
      checkpoints += 1;
      insert();
      other.pragma('wal_checkpoint(TRUNCATE)');
    });
    guard.check();
    expect(checkpoints).toBe(count);
    guard.check();
  },
);

test.each([1, 2])(
  'a checkpoint of another server that ends before read %i of the state of the files is no change of the files',
  (count) => {
    let reads = 0;
    const guard = guardWith((other) => {
      reads += 1;
      if (reads === count) other.pragma('wal_checkpoint(PASSIVE)');
    });
    for (let look = 1; look <= 2; look += 1) expect(() => guard.check()).not.toThrow();
  },
);
