import { join } from 'node:path';
import { temporaryFolder } from '@deskside/core/testing';
import { openTodo, type Todo } from '@deskside/todo';
import Database from 'better-sqlite3';
import type { Table } from '../benchmark.ts';
import { timed, timedInTurns } from '../manictime/timed.ts';
import { median } from '../statistics.ts';

const ROUNDS = 20;
const AT_ONCE = 32;
const SIZES = [1000, 1_000_000];
const BATCH_TASKS = 10_000;
const CALLER = { actor: 'owner', user: 'owner', tool: 'bench' };
const TASK = { title: 'Buy groceries', description: 'Milk, eggs, bread' };

type Store = Awaited<ReturnType<Todo['store']>>;

export interface SqliteFigures {
  readonly writes: Table;
  readonly reads: Table;
  /** Bare inserts one by one, to adds at once: how many times faster adds at once are. */
  readonly atOnceToBare: number;
}

/** Adds beside bare inserts with the same settings on the same disk; lists and searches in short and long lists. */
export async function measureSqlite(): Promise<SqliteFigures> {
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
  const reads: (readonly (string | number)[])[] = [];
  for (const size of SIZES) reads.push(await measureReads(size));
  return {
    writes: {
      caption: `Adding ${AT_ONCE} tasks to an SQLite file, ms per task (median)`,
      columns: ['Work', 'ms'],
      rows: [
        ['bare better-sqlite3, one transaction each', perTask(inTurns.bare).toFixed(2)],
        ['todo, one by one', perTask(inTurns.oneByOne).toFixed(2)],
        [`todo, ${AT_ONCE} at once`, perTask(inTurns.atOnce).toFixed(2)],
      ],
    },
    reads: {
      caption: 'Reading from an SQLite file, ms per call (median)',
      columns: ['Tasks of the user', 'first 100', '100 from the middle', 'rare word', 'word of every task'],
      rows: reads,
    },
    atOnceToBare: perTask(inTurns.bare) / perTask(inTurns.atOnce),
  };
}

async function measureReads(size: number): Promise<readonly (string | number)[]> {
  using folder = temporaryFolder();
  await using todo = openTodo({ database: join(folder.path, 'todo.sqlite') });
  const store = await todo.store();
  await fill(store, size);
  const page = { status: 'all', limit: 100 } as const;
  const cells: string[] = [];
  for (const query of [
    page,
    { ...page, afterId: Math.floor(size / 2) },
    { ...page, words: [`n${Math.floor(size / 3)}x`] },
    { ...page, words: ['groceries'] },
  ]) {
    cells.push(median(await timed(ROUNDS, () => store.list(CALLER, query))).toFixed(2));
  }
  return [size.toLocaleString('en'), ...cells];
}

/** Each task has one word that no other task has. */
async function fill(store: Store, size: number): Promise<void> {
  for (let start = 0; start < size; start += BATCH_TASKS) {
    const count = Math.min(BATCH_TASKS, size - start);
    const tasks = Array.from({ length: count }, (_, index) => ({
      ...TASK,
      title: `${TASK.title} n${start + index}x`,
    }));
    await store.addAll(CALLER, tasks);
  }
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
