import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectHttp, firstText, IS_PROOF, temporaryFolder } from '@deskside/testkit';
import { canMount, smallDisk } from '@deskside/testkit/small-disk';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { MAIN_TOKEN, startReplica } from '../testing/replica.ts';
import { callerContext } from '../testing/store-under-test.ts';
import { openConnection } from './connection.ts';
import { inspectDatabase } from './inspect.ts';
import { migrations } from './migrate.ts';
import { sqliteTaskStore } from './sqlite-task-store.ts';

const ACKNOWLEDGED_BEFORE_KILL = IS_PROOF ? 500 : 60;
const BURST_TASKS = 5;

test('two servers that create one database, and are killed while they write for one user, lose no acknowledged task', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  const servers = await Promise.all([startReplica(file), startReplica(file)]);
  const writers = await Promise.all(servers.map(({ url }, index) => startWriter(url, `server ${index}`)));
  await Promise.all(writers.map((writer) => writer.enough));
  await Promise.all(servers.map((server) => server.kill()));
  await Promise.all(writers.map((writer) => writer.ended));

  const acknowledged = writers.flatMap((writer) => writer.acknowledged);
  expect(new Set(acknowledged.map(({ id }) => id)).size).toBe(acknowledged.length);
  const database = new Database(file);
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
  const tasks = database.prepare('SELECT id, title FROM tasks').all();
  expect(tasks).toStrictEqual(expect.arrayContaining(acknowledged));
  const audited = database.prepare("SELECT count(*) FROM audit WHERE outcome = 'ok'").pluck().get();
  expect(audited).toBe(tasks.length);
  database.close();

  await using store = sqliteTaskStore({ file });
  const next = await store.add(callerContext('owner'), { title: 'after the crash', description: null });
  expect(next.id).toBe(1 + tasks.length);
});

/** A client that adds tasks in bursts until its server is killed. */
async function startWriter(url: string, label: string) {
  const peer = await connectHttp(url, { era: 'modern', token: MAIN_TOKEN });
  onTestFinished(() => peer[Symbol.asyncDispose]());
  const acknowledged: { readonly id: number; readonly title: string }[] = [];
  const { promise: enough, resolve, reject } = Promise.withResolvers<void>();
  const addOne = async (_: unknown, index: number) => {
    const title = `${label}: ${acknowledged.length} ${index}`;
    const answer = await peer.callTool('add_task', { user_id: 'me', title });
    const { task_id: id } = JSON.parse(firstText(answer)) as { readonly task_id: number };
    acknowledged.push({ id, title });
    if (acknowledged.length === ACKNOWLEDGED_BEFORE_KILL) resolve();
  };
  const write = async () => {
    for (;;) await Promise.all(Array.from({ length: BURST_TASKS }, addOne));
  };
  const ended = write().catch(reject);
  return { acknowledged, enough, ended };
}

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
