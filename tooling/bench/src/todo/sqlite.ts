import { join } from 'node:path';
import { temporaryFolder } from '@deskside/core/testing';
import { openTodo } from '@deskside/todo';
import Database from 'better-sqlite3';
import type { Ratio, Table } from '../benchmark.ts';
import { timedInTurns } from '../manictime/timed.ts';
import { median } from '../statistics.ts';
import { CALLER, measureReads, READ_COLUMNS, SIZES, TASK } from './reads.ts';

const ROUNDS = 20;
const AT_ONCE = 32;

/** Adds beside bare inserts with the same settings on the same disk. */
export async function measureWrites(): Promise<{ readonly table: Table; readonly ratio: Ratio }> {
  using folder = temporaryFolder();
  await using todo = openTodo({ database: join(folder.path, 'todo.sqlite') });
  const store = await todo.store();
  const bare = openBare(join(folder.path, 'bare.sqlite'));
  const inTurns = await timedInTurns(ROUNDS, {
    bare: async () => repeat(AT_ONCE, async () => bare.insert()),
    oneByOne: () => repeat(AT_ONCE, () => store.add(CALLER, TASK)),
    atOnce: () => Promise.all(Array.from({ length: AT_ONCE }, () => store.add(CALLER, TASK))),
  });
  bare.close();
  const perTask = (times: readonly number[]) => median(times) / AT_ONCE;
  return {
    table: {
      caption: `Adding ${AT_ONCE} tasks to an SQLite file, ms per task (median of ${ROUNDS} rounds)`,
      columns: ['Work', 'ms'],
      rows: [
        ['bare better-sqlite3, one transaction each', perTask(inTurns.bare).toFixed(2)],
        ['todo, one by one', perTask(inTurns.oneByOne).toFixed(2)],
        [`todo, ${AT_ONCE} at once`, perTask(inTurns.atOnce).toFixed(2)],
      ],
    },
    ratio: {
      title: `${AT_ONCE} adds at once, times faster than bare better-sqlite3 one by one`,
      value: perTask(inTurns.bare) / perTask(inTurns.atOnce),
      target: { atLeast: 5 },
    },
  };
}

/** Lists and searches in short and long lists. */
export async function measureSqliteReads(): Promise<Table> {
  const rows: string[][] = [];
  for (const size of SIZES) {
    using folder = temporaryFolder();
    const file = join(folder.path, 'todo.sqlite');
    rows.push(await measureReads(file, size, async (count) => fill(file, count)));
  }
  return { caption: 'Reading from an SQLite file, ms per call (median)', columns: READ_COLUMNS, rows };
}

/** The triggers of the file count and index the tasks. Adding a million through the program takes minutes. */
function fill(file: string, size: number): void {
  const database = new Database(file);
  database.exec(`
    BEGIN IMMEDIATE;
    WITH RECURSIVE numbers (id) AS (SELECT 2 UNION ALL SELECT id + 1 FROM numbers WHERE id < ${size})
    INSERT INTO tasks (user_id, id, title, description, completed, created_at)
    SELECT '${CALLER.user}', id, '${TASK.title} n' || id, '${TASK.description}', 0, 1766226600 FROM numbers;
    UPDATE users SET last_task_id = ${size};
    COMMIT;
  `);
  database.close();
}

/** An insert with its audit row, without anything that todo adds: no counters, no search, no validation. */
function openBare(file: string): { insert(): void; close(): void } {
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.exec(
    'CREATE TABLE tasks (id integer PRIMARY KEY, title text, description text) STRICT; CREATE TABLE audit (id integer PRIMARY KEY, tool text) STRICT;',
  );
  const task = database.prepare('INSERT INTO tasks (title, description) VALUES (?, ?)');
  const audit = database.prepare('INSERT INTO audit (tool) VALUES (?)');
  const insert = database.transaction(() => {
    task.run(TASK.title, TASK.description);
    audit.run(CALLER.tool);
  });
  return { insert: () => insert.immediate(), close: () => database.close() };
}

async function repeat(count: number, work: () => Promise<unknown>): Promise<void> {
  for (let done = 0; done < count; done += 1) await work();
}
