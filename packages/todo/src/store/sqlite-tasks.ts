import type { Database } from 'better-sqlite3';
import { count, desc, sql } from 'drizzle-orm';
import { drizzle, type BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { tasks } from './schema.ts';
import { firstCodePoints, writeAudit, type AuditEntry, type Transaction } from './sqlite-audit.ts';
import { nextId, taskOf, tasksOf, toTask, type TaskRow } from './sqlite-task-rows.ts';
import type { Call, NewTask, Refusal, Task, TaskChanges, TaskPage, TaskQuery } from './task-store.ts';

interface Outcome<T> extends AuditEntry {
  readonly result: T;
}

/** Unicode code points kept of the user that a refused caller claimed to be. */
const longestClaim = 100;

/**
 * The statements behind a TaskStore, each method one transaction; blocks, and throws SQLite's errors as they
 * are.
 */
export class SqliteTasks {
  readonly #connection: Database;
  readonly #database: BetterSQLite3Database;
  readonly #now: () => Date;

  constructor(connection: Database, now: () => Date) {
    this.#connection = connection;
    this.#database = drizzle(connection);
    this.#now = now;
  }

  add(call: Call, task: NewTask): Task {
    return this.#audited(call, (transaction, now) => {
      const id = nextId(transaction, call.user);
      const row = { ...task, userId: call.user, id, completed: false, createdAt: now };
      return {
        result: toTask(transaction.insert(tasks).values(row).returning().get()),
        outcome: 'ok',
        taskId: id,
      };
    });
  }

  list(call: Call, query: TaskQuery): TaskPage {
    return this.#audited(call, (transaction) => {
      const { limit, afterId } = query;
      const wanted = tasksOf(call.user, query.status, afterId);
      const rows = transaction.select().from(tasks).where(wanted).orderBy(desc(tasks.id)).limit(limit).all();
      const rest = tasksOf(call.user, query.status, rows.at(-1)?.id ?? afterId);
      const counted = transaction.select({ remaining: count() }).from(tasks).where(rest).get();
      return { result: { tasks: rows.map(toTask), remaining: counted?.remaining ?? 0 }, outcome: 'ok' };
    });
  }

  complete(call: Call, id: number): Task | undefined {
    return this.#audited(call, (transaction) => {
      const completed = transaction.update(tasks).set({ completed: true });
      return found(id, completed.where(taskOf(call.user, id)).returning().all());
    });
  }

  remove(call: Call, id: number): Task | undefined {
    return this.#audited(call, (transaction) =>
      found(id, transaction.delete(tasks).where(taskOf(call.user, id)).returning().all()),
    );
  }

  update(call: Call, id: number, changes: TaskChanges): Task | undefined {
    return this.#audited(call, (transaction) => {
      const { title = sql`${tasks.title}`, description = sql`${tasks.description}` } = changes;
      const updated = transaction.update(tasks).set({ title, description });
      return found(id, updated.where(taskOf(call.user, id)).returning().all(), changedFields(changes));
    });
  }

  refuse(call: Call, outcome: Refusal, taskId?: number): void {
    const claimed = { ...call, user: firstCodePoints(call.user, longestClaim) };
    this.#audited(claimed, () => ({ result: undefined, outcome, taskId }));
  }

  close(): void {
    this.#connection.close();
  }

  /** IMMEDIATE takes the write lock first: a read that turns into a write later could not wait for it. */
  #audited<T>(call: Call, work: (transaction: Transaction, now: Date) => Outcome<T>): T {
    const now = this.#now();
    return this.#database.transaction(
      (transaction) => {
        const { result, ...entry } = work(transaction, now);
        writeAudit(transaction, now, call, entry);
        return result;
      },
      { behavior: 'immediate' },
    );
  }
}

function found(
  taskId: number,
  rows: readonly TaskRow[],
  changed: readonly string[] = [],
): Outcome<Task | undefined> {
  const [row] = rows;
  if (row === undefined) return { result: undefined, outcome: 'task_not_found', taskId };
  return { result: toTask(row), outcome: 'ok', taskId, changed };
}

function changedFields({ title, description }: TaskChanges): readonly string[] {
  return Object.entries({ title, description }).flatMap(([field, value]) =>
    value === undefined ? [] : [field],
  );
}
