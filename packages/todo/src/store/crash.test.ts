import { temporaryFolder } from '@deskside/testkit';
import Database from 'better-sqlite3';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSqliteTaskStore } from './sqlite-task-store.ts';
import { callOf } from './testing/store-under-test.ts';
import { startWorker, type Worker } from './testing/worker.ts';

const endless = 1_000_000;
const enough = 60;

test.each([
  ['one user', ['anna', 'anna']],
  ['two users', ['anna', 'ben']],
] as const)(
  'two processes that are killed while they write for %s lose nothing they acknowledged',
  async (_, names) => {
    const file = join(temporaryFolder(), 'todo.sqlite');
    const writers = names.map((user, index) =>
      startWriter({ file, user, label: `writer ${index}`, count: endless }),
    );
    await Promise.all(writers.map((writer) => writer.printed(1)));
    for (const writer of writers) writer.go();
    await Promise.all(writers.map((writer) => writer.printed(1 + enough)));
    for (const writer of writers) writer.kill();
    expect(await Promise.all(writers.map((writer) => writer.ended))).toStrictEqual([null, null]);

    const acknowledged = writers.flatMap((writer) => writer.lines.slice(1));
    expect(new Set(acknowledged.map(numberOf)).size).toBe(acknowledged.length);
    const before = inspect(file);
    expect(before.integrity).toBe('ok');
    expect(before.tasks).toStrictEqual(expect.arrayContaining(acknowledged));
    expect(before.audited).toBe(before.tasks.length);

    await using store = openSqliteTaskStore({ file });
    const next = await store.add(callOf('anna'), { title: 'after the crash', description: null });
    expect(next.id).toBe(1 + before.tasks.filter((task) => task.includes('"anna"')).length);
  },
);

test('two processes that start at once on a fresh file both come up', async () => {
  for (let round = 0; round < 3; round += 1) {
    const file = join(temporaryFolder(), 'new', 'todo.sqlite');
    const labels = ['a', 'b'];
    const writers = labels.map((label) => startWriter({ file, user: 'anna', label, count: 1 }));
    await Promise.all(writers.map((writer) => writer.printed(1)));
    for (const writer of writers) writer.go();
    expect(await Promise.all(writers.map((writer) => writer.ended))).toStrictEqual([0, 0]);
    const numbers = writers.flatMap((writer) => writer.lines.slice(1)).map(numberOf);
    expect(numbers.toSorted()).toStrictEqual(['anna 1', 'anna 2']);
  }
});

interface Orders {
  readonly file: string;
  readonly user: string;
  readonly label: string;
  readonly count: number;
}

function startWriter(orders: Orders): Worker {
  const writer = startWorker('crash-writer.ts');
  writer.tell(JSON.stringify(orders));
  return writer;
}

/** The user and the number of a printed task. */
function numberOf(line: string): string {
  const { user, id } = JSON.parse(line);
  return `${user} ${id}`;
}

/** Tasks are rendered as the writers print them. */
function inspect(file: string): { integrity: unknown; tasks: string[]; audited: unknown } {
  const database = new Database(file);
  const rows = database.prepare<[], object>('SELECT user_id AS user, id, title FROM tasks').all();
  const result = {
    integrity: database.pragma('integrity_check', { simple: true }),
    tasks: rows.map((row) => JSON.stringify(row)),
    audited: database.prepare("SELECT count(*) FROM audit WHERE outcome = 'ok'").pluck().get(),
  };
  database.close();
  return result;
}
