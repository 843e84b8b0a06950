import Database from 'better-sqlite3';
import { openConnection } from '../sqlite/connection.ts';
import { migrations } from '../sqlite/migrations.ts';

/** Schema versions of earlier releases: without counters, without search and due dates, and with another index of words. */
export const PREVIOUS_VERSIONS = [1, 2, 3] as const;

/** Writes as an earlier release does: it checks the schema version only when it opens the file. */
export interface PreviousStore extends Disposable {
  add(user: string, title: string): number;
  complete(user: string, id: number): void;
  rename(user: string, id: number, title: string): void;
  remove(user: string, id: number): void;
}

/** @throws SQLite's busy errors, and StoreUnavailable for a database of a newer version */
export function openPreviousStore(
  file: string,
  version: (typeof PREVIOUS_VERSIONS)[number] = 3,
): PreviousStore {
  const database = openConnection(file, migrations.slice(0, version));
  database.pragma('busy_timeout = 5000');
  const nextId = database
    .prepare<[string], number>(
      'INSERT INTO users (id, last_task_id) VALUES (?, 1) ON CONFLICT (id) DO UPDATE SET last_task_id = last_task_id + 1 RETURNING last_task_id',
    )
    .pluck();
  const insert = database.prepare(
    'INSERT INTO tasks (user_id, id, title, description, completed, created_at) VALUES (?, ?, ?, NULL, 0, 1766226600)',
  );
  const audit = database.prepare(
    "INSERT INTO audit (at, actor, user, tool, outcome) VALUES (1766226600000, ?, ?, 'some_tool', 'ok')",
  );
  const complete = database.prepare('UPDATE tasks SET completed = 1 WHERE user_id = ? AND id = ?');
  const rename = database.prepare('UPDATE tasks SET title = ? WHERE user_id = ? AND id = ?');
  const remove = database.prepare('DELETE FROM tasks WHERE user_id = ? AND id = ?');
  const inTransaction = <T>(user: string, work: () => T): T =>
    database
      .transaction(() => {
        const result = work();
        audit.run(user, user);
        return result;
      })
      .immediate();
  return {
    add: (user, title) =>
      inTransaction(user, () => {
        const id = nextId.get(user) ?? 0;
        insert.run(user, id, title);
        return id;
      }),
    complete: (user, id) => void inTransaction(user, () => complete.run(user, id)),
    rename: (user, id, title) => void inTransaction(user, () => rename.run(title, user, id)),
    remove: (user, id) => void inTransaction(user, () => remove.run(user, id)),
    [Symbol.dispose]: () => void database.close(),
  };
}

/** What the counters say, beside what they count. */
export function countersOf(file: string): { counted: unknown[]; actual: unknown[] } {
  const database = new Database(file, { readonly: true });
  const counted = database
    .prepare(
      'SELECT user_id, block, pending, completed FROM task_counts WHERE pending + completed > 0 ORDER BY 1, 2',
    )
    .raw()
    .all();
  const actual = database
    .prepare(
      'SELECT user_id, id / 1000, sum(NOT completed), sum(completed) FROM tasks GROUP BY 1, 2 ORDER BY 1, 2',
    )
    .raw()
    .all();
  database.close();
  return { counted, actual };
}
