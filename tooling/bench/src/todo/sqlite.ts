import { join } from 'node:path';
import { temporaryFolder } from '@deskside/core/testing';
import { openTodo } from '@deskside/todo';
import Database from 'better-sqlite3';
import type { Figures } from '../benchmark.ts';
import { median, spreads, timed } from '../statistics.ts';
import { CALLER, measureSearch, TASK } from './reads.ts';

const ROUNDS = 20;
const AT_ONCE = 32;

/** Adds beside bare inserts with the same settings on the same disk. */
export async function measureWrites(): Promise<Figures> {
  using folder = temporaryFolder();
  await using todo = openTodo({ database: join(folder.path, 'todo.sqlite') });
  const store = await todo.store();
  const bare = openBare(join(folder.path, 'bare.sqlite'));
  const oneByOne = (add: () => unknown) => async () => {
    for (let added = 0; added < AT_ONCE; added += 1) await add();
  };
  const works = {
    bare: { name: 'bare better-sqlite3, one by one', run: oneByOne(bare.insert) },
    oneByOne: { name: 'todo, one by one', run: oneByOne(() => store.add(CALLER, TASK)) },
    atOnce: {
      name: 'todo, at once',
      run: () => Promise.all(Array.from({ length: AT_ONCE }, () => store.add(CALLER, TASK))),
    },
  };
  const costs = await timed(ROUNDS, Object.values(works), ({ run }) => run());
  bare.close();
  const [all, one] = [works.atOnce, works.bare].map((work) => median(costs.get(work) ?? []));
  const value = Number(one) / Number(all);
  const title = `${AT_ONCE} adds at once, times faster than bare better-sqlite3 one by one`;
  return {
    numbers: spreads(costs, `${AT_ONCE} tasks, ms`),
    ratios: [{ title, value, target: { atLeast: 5 } }],
  };
}

export async function measureSqliteSearch(): Promise<Figures> {
  using folder = temporaryFolder();
  const file = join(folder.path, 'todo.sqlite');
  return await measureSearch('SQLite', file, async (sql) => {
    const database = new Database(file);
    database.exec(`BEGIN IMMEDIATE; ${sql} COMMIT;`);
    database.close();
  });
}

/** An insert with its audit row, without anything that todo adds: no ids per user, no validation. */
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
