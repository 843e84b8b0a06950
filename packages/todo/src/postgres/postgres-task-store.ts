import { and, count, desc, eq, gte, lt, type SQL, sql, sum } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Pool } from 'pg';
import {
  auditedTask,
  type AuditedResult,
  type AuditEntry,
  type CallerContext,
  changedFields,
  claimedCaller,
  dayOf,
  MAX_REFUSALS_PER_DAY,
  type NewTask,
  type RejectionReason,
  StoreBusy,
  StoreUnavailable,
  type Task,
  type TaskChanges,
  type TaskPage,
  type TaskQuery,
  type TaskStore,
  toTimestamp,
} from '../store/task-store.ts';
import { DEFAULT_WAIT_MS, openPool, storable, transact, type Transaction } from './connection.ts';
import { prepareDatabase } from './prepare.ts';
import { audit, refusals, taskCounts, tasks, TASKS_PER_BLOCK, users } from './schema.ts';
import { UserQueues } from './user-queues.ts';

export interface PostgresTaskStoreOptions {
  /** `postgres://…` of the role that serves the calls. */
  readonly url: string;
  /** `postgres://…` of a role that may create and change the tables. Default: `url`. */
  readonly migrationUrl?: string | undefined;
  readonly now?: () => Date;
  /** How long a call waits for its turn and for a lock before it rejects with StoreBusy. Default 5000. */
  readonly waitMs?: number;
}

/** Audit rows that wait to be written. */
const MAX_BACKGROUND_CALLS = 1000;

type TaskRow = typeof tasks.$inferSelect;

/**
 * A TaskStore in a PostgreSQL database that any number of processes share. The first call connects, and creates or
 * migrates the tables if necessary; if that fails, the next call tries again.
 */
export class PostgresTaskStore implements TaskStore {
  readonly #options: PostgresTaskStoreOptions;
  readonly #now: () => Date;
  readonly #pool: Pool;
  readonly #waitMs: number;
  readonly #queues: UserQueues;
  readonly #background = new Set<Promise<unknown>>();
  #prepared: Promise<readonly string[]> | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: PostgresTaskStoreOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => new Date());
    this.#waitMs = options.waitMs ?? DEFAULT_WAIT_MS;
    this.#queues = new UserQueues(this.#waitMs);
    this.#pool = openPool(options.url);
  }

  /** Once, for all calls that wait for it; again after a failure. */
  async prepare(): Promise<readonly string[]> {
    this.#prepared ??= prepareDatabase(this.#pool, this.#options);
    try {
      return await this.#prepared;
    } catch (error) {
      this.#prepared = undefined;
      throw error;
    }
  }

  async add(caller: CallerContext, { title, description }: NewTask): Promise<Task> {
    return this.#change(caller, async (database, now) => {
      const { user } = caller;
      const [{ id } = { id: 0 }] = await database
        .insert(users)
        .values({ id: user, lastTaskId: 1 })
        .onConflictDoUpdate({ target: users.id, set: { lastTaskId: sql`${users.lastTaskId} + 1` } })
        .returning({ id: users.lastTaskId });
      const row: TaskRow = { userId: user, id, title, description, completed: false, createdAt: now };
      await database.insert(tasks).values(row);
      return { result: toTask(row), outcome: 'ok', taskId: id };
    });
  }

  async list(caller: CallerContext, query: TaskQuery): Promise<TaskPage> {
    const page = await this.#transact(caller, 'read', (database) => readPage(database, caller.user, query));
    // The caller does not wait for the row, and a server that can only be read still answers.
    this.#record(caller.user, caller, { outcome: 'ok' }).catch(() => undefined);
    return page;
  }

  async complete(caller: CallerContext, id: number): Promise<Task | undefined> {
    return this.#changeTask(caller, id, async (database, matching) =>
      database.update(tasks).set({ completed: true }).where(matching).returning(),
    );
  }

  async remove(caller: CallerContext, id: number): Promise<Task | undefined> {
    return this.#changeTask(caller, id, async (database, matching) =>
      database.delete(tasks).where(matching).returning(),
    );
  }

  async update(caller: CallerContext, id: number, changes: TaskChanges): Promise<Task | undefined> {
    const work = async (database: NodePgDatabase, matching: SQL | undefined) => {
      const { title = sql`${tasks.title}`, description = sql`${tasks.description}` } = changes;
      return database.update(tasks).set({ title, description }).where(matching).returning();
    };
    return this.#changeTask(caller, id, work, changedFields(changes));
  }

  async recordRejection(caller: CallerContext, reason: RejectionReason, taskId?: number): Promise<void> {
    await this.#record(caller.actor, claimedCaller(caller), { outcome: reason, taskId });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    await this.#closed;
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#background);
    await this.#pool.end();
  }

  /** Runs the work on the task with that id, if the user has one. */
  async #changeTask(
    caller: CallerContext,
    id: number,
    work: (database: NodePgDatabase, matching: SQL | undefined) => Promise<readonly TaskRow[]>,
    changed: readonly string[] = [],
  ): Promise<Task | undefined> {
    return this.#change(caller, async (database) => {
      // A model can send any number; the column has integers.
      const rows = Number.isSafeInteger(id) ? await work(database, matchesTask(caller.user, id)) : [];
      return auditedTask(id, rows.map(toTask)[0], changed);
    });
  }

  /** Runs the work and writes its audit row: both are on disk when this resolves, or neither. */
  async #change<T>(
    caller: CallerContext,
    work: (database: NodePgDatabase, now: Date) => Promise<AuditedResult<T>>,
  ): Promise<T> {
    const transaction = () =>
      this.#transact(caller, 'write', async (database) => {
        const now = this.#now();
        const { result, ...entry } = await work(database, now);
        await writeAudit(database, now, caller, entry);
        return result;
      });
    // In the server they would wait for each other too, with a connection each: they count that user's tasks.
    return this.#queues.run(caller.user, transaction, caller.signal);
  }

  /** Writes an audit row without a change, after the earlier calls of that user. */
  async #record(user: string, { signal: _, ...caller }: CallerContext, entry: AuditEntry): Promise<void> {
    if (this.#background.size >= MAX_BACKGROUND_CALLS) throw new StoreBusy();
    const now = this.#now();
    const writing = this.#queues.run(user, () =>
      this.#transact(caller, 'write', (database) => writeAudit(database, now, caller, entry)),
    );
    this.#background.add(writing);
    await writing.finally(() => this.#background.delete(writing));
  }

  async #transact<T>(
    { user, actor, signal }: CallerContext,
    mode: Transaction<T>['mode'],
    work: Transaction<T>['work'],
  ): Promise<T> {
    if (this.#closed !== undefined) throw new StoreUnavailable('The task store is closed');
    await this.prepare();
    return transact(this.#pool, { mode, owner: { user, actor }, waitMs: this.#waitMs, signal, work });
  }
}

async function writeAudit(
  database: NodePgDatabase,
  at: Date,
  { actor, user, tool }: CallerContext,
  { outcome, taskId, changed = [] }: AuditEntry,
): Promise<void> {
  if (outcome !== 'ok' && !(await countRefusal(database, actor, dayOf(at)))) return;
  await database.insert(audit).values({
    at,
    actor,
    userId: storable(user),
    tool,
    outcome,
    taskId: Number.isSafeInteger(taskId) ? taskId : null,
    changed: changed.length > 0 ? changed.join(',') : null,
  });
}

/** Counts a refused call of a day. @returns false if the day has enough of them */
async function countRefusal(database: NodePgDatabase, actor: string, day: number): Promise<boolean> {
  const today = sql`${refusals.day} = excluded.day`;
  const counted = await database
    .insert(refusals)
    .values({ actor, day, count: 1 })
    .onConflictDoUpdate({
      target: refusals.actor,
      set: { day: sql`excluded.day`, count: sql`CASE WHEN ${today} THEN ${refusals.count} + 1 ELSE 1 END` },
      setWhere: sql`NOT ${today} OR ${refusals.count} < ${MAX_REFUSALS_PER_DAY}`,
    })
    .returning({ count: refusals.count });
  return counted.length > 0;
}

async function readPage(
  database: NodePgDatabase,
  user: string,
  { status, limit, afterId }: TaskQuery,
): Promise<TaskPage> {
  const matching = matchesQuery(user, status, afterId);
  const rows = await database.select().from(tasks).where(matching).orderBy(desc(tasks.id)).limit(limit);
  const last = rows.length === limit ? rows.at(-1)?.id : undefined;
  const remaining = last === undefined ? 0 : await countTasksBefore(database, user, status, last);
  return { tasks: rows.map(toTask), remaining };
}

function matchesTask(user: string, id: number): SQL | undefined {
  return and(eq(tasks.userId, user), eq(tasks.id, id));
}

function matchesQuery(user: string, status: TaskQuery['status'], afterId?: number): SQL | undefined {
  return and(
    eq(tasks.userId, user),
    status === 'all' ? undefined : eq(tasks.completed, status === 'completed'),
    afterId === undefined ? undefined : lt(tasks.id, afterId),
  );
}

/** Sums the counters of the blocks below the one of `id`, and counts the tasks of that block. */
async function countTasksBefore(
  database: NodePgDatabase,
  user: string,
  status: TaskQuery['status'],
  id: number,
): Promise<number> {
  const block = Math.floor(id / TASKS_PER_BLOCK);
  const { pending, completed } = taskCounts;
  const counter = { all: sql`${pending} + ${completed}`, pending, completed }[status];
  const [blocks] = await database
    .select({ tasks: sum(counter).mapWith(Number) })
    .from(taskCounts)
    .where(and(eq(taskCounts.userId, user), lt(taskCounts.block, block)));
  const [rest] = await database
    .select({ tasks: count() })
    .from(tasks)
    .where(and(matchesQuery(user, status, id), gte(tasks.id, block * TASKS_PER_BLOCK)));
  return (blocks?.tasks ?? 0) + (rest?.tasks ?? 0);
}

function toTask({ id, title, description, completed, createdAt }: TaskRow): Task {
  return { id, title, description, completed, createdAt: toTimestamp(createdAt) };
}
