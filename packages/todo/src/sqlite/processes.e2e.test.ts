import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { IS_PROOF, temporaryFolder } from '@deskside/testkit';
import { canMount, smallDisk } from '@deskside/testkit/small-disk';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { diagnose } from '../commands/doctor.ts';
import { LONG_RACE, raceForClaims, SHORT_RACE } from '../testing/claim-race.ts';
import { callerContext } from '../testing/store-under-test.ts';
import { openWorker, type Worker } from '../testing/worker.ts';
import { openConnection } from './connection.ts';
import { inspectDatabase } from './inspect.ts';
import { migrations } from './migrate.ts';
import { sqliteTaskStore } from './sqlite-task-store.ts';

const RACE = IS_PROOF ? LONG_RACE : SHORT_RACE;
const ENDLESS = 1_000_000;
const ACKNOWLEDGED_BEFORE_KILL = 60;

test('two processes killed while they write for one user lose no acknowledged task', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  const writers = await Promise.all(
    ['one', 'other'].map((label) => openWriter(file, 'anna', label, ENDLESS)),
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

  await using store = sqliteTaskStore({ file });
  const next = await store.add(callerContext('anna'), { title: 'after the crash', description: null });
  expect(next.id).toBe(1 + found.tasks.length);
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

function openWriter(file: string, user: string, label: string, count: number): Promise<Worker> {
  return openWorker({ role: 'writer', database: file, user, label, count });
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
    tasks: rows.map((row) => JSON.stringify(row)),
    audited: database.prepare("SELECT count(*) FROM audit WHERE outcome = 'ok'").pluck().get(),
  };
  database.close();
  return content;
}

test('after its log was deleted a server answers UNAVAILABLE, while another process writes, and doctor names it', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  const anna = callerContext('anna');
  await using store = sqliteTaskStore({ file });
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

test(`${RACE.processes} processes that are killed while they claim ${RACE.tasks} tasks of one file claim each of them once`, async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  const { ids, printed, shares } = await raceForClaims(RACE, file);
  // The lock lets each of them in.
  expect(Math.min(...shares)).toBeGreaterThan(0);
  const database = new Database(file, { readonly: true });
  const claimed = database
    .prepare("SELECT task_id FROM audit WHERE tool = 'claim_task' AND outcome = 'ok' ORDER BY task_id")
    .pluck()
    .all();
  database.close();
  expect(claimed).toStrictEqual(ids);
  expect(new Set(printed).size).toBe(printed.length);
});

test.skipIf(!canMount)('on a full disk, what opens or inspects a database says that it is full', () => {
  const disk = smallDisk(512, 8);
  const file = join(disk, 'todo.sqlite');
  openConnection(file, migrations).close();
  expect(() => {
    for (;;) appendFileSync(join(disk, 'filler'), Buffer.alloc(4096));
  }).toThrow('ENOSPC');

  const opened = [file, join(disk, 'new.sqlite'), join(disk, 'a/b/c/d/e/f/g/h/new.sqlite')];
  for (const path of opened) {
    expect(() => openConnection(path, migrations)).toThrow(expect.objectContaining(full(path)));
  }
  expect(() => inspectDatabase(file)).toThrow(expect.objectContaining(full(file)));
});

function full(file: string) {
  const hint = 'Nothing was changed. Tell the person that the disk with the task database is full.';
  return {
    reason: `Can't open the task database ${file}: the disk is full`,
    failure: expect.objectContaining({ hint }),
  };
}
