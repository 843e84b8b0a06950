import { and, desc, eq, getTableColumns, gt, lte, or, type SQL, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Pool } from 'pg';
import {
  addedTask,
  auditedTask,
  type AuditedResult,
  type AuditEntry,
  changedFields,
  changesOf,
  claimedCaller,
  dayOf,
  daysBefore,
  toAuditColumns,
  toTask,
  toTimestamp,
} from '../store/records.ts';
import { auditedClaim } from '../store/claims.ts';
import {
  type AuditRow,
  type CallerContext,
  IdempotencyConflict,
  MAX_REFUSALS_PER_DAY,
  type NewTask,
  type RejectionReason,
  RESTORE_DAYS,
  StoreBusy,
  StoreUnavailable,
  type Task,
  type TaskChanges,
  type TaskPage,
  type TaskQuery,
  type TaskStore,
  type ClaimHolder,
  type ClaimOutcome,
  type ClaimRequest,
} from '../store/task-store.ts';
import { addOnce, addTask, addTasks } from './adding.ts';
import { checkOrder, claimTask, NO_CLAIM, releaseTask } from './claims.ts';
import { DEFAULT_WAIT_MS, openPool, storable, transact, type Transaction } from './connection.ts';
import { prepareDatabase } from './prepare.ts';
import { matchesTask, readPage, readTask } from './reading.ts';
import { audit, deletedTasks, refusals, tasks } from './schema.ts';
import { UserQueues } from './user-queues.ts';
import { addWords, removeWords } from './words.ts';

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

  async add(caller: CallerContext, task: NewTask, idempotencyKey?: string): Promise<Task> {
    const added = await this.#change(caller, async (database, now) =>
      idempotencyKey === undefined
        ? addedTask(await addTask(database, caller.user, task, now))
        : addOnce(database, caller.user, task, { key: idempotencyKey, now }),
    );
    if (added === undefined) throw new IdempotencyConflict();
    return added;
  }

  async addAll(caller: CallerContext, all: readonly NewTask[]): Promise<readonly Task[]> {
    return this.#change(caller, async (database, now) => ({
      result: await addTasks(database, caller.user, all, now),
      outcome: 'ok',
    }));
  }

  async list(caller: CallerContext, query: TaskQuery): Promise<TaskPage> {
    return this.#read(caller, async (database) => ({
      result: await readPage(database, caller.user, query),
      outcome: 'ok',
    }));
  }

  async get(caller: CallerContext, id: number): Promise<Task | undefined> {
    return this.#read(caller, async (database) =>
      auditedTask(id, isId(id) ? await readTask(database, caller.user, id) : undefined),
    );
  }

  async complete(caller: CallerContext, id: number): Promise<Task | undefined> {
    return this.#changeTask(caller, id, async (database, matching) =>
      database
        .update(tasks)
        .set({ completed: true, ...NO_CLAIM })
        .where(matching)
        .returning(),
    );
  }

  async reopen(caller: CallerContext, id: number): Promise<Task | undefined> {
    return this.#changeTask(caller, id, async (database, matching) =>
      database
        .update(tasks)
        .set({ completed: false, ...NO_CLAIM })
        .where(matching)
        .returning(),
    );
  }

  async remove(caller: CallerContext, id: number): Promise<Task | undefined> {
    const { user } = caller;
    return this.#changeTask(caller, id, async (database, matching, now) => {
      const isOld = lte(deletedTasks.deletedAt, daysBefore(now, RESTORE_DAYS));
      await database.delete(deletedTasks).where(and(eq(deletedTasks.userId, user), isOld));
      const rows = await database.delete(tasks).where(matching).returning();
      for (const row of rows) {
        await removeWords(database, user, row);
        await database.insert(deletedTasks).values({ ...row, deletedAt: now });
      }
      return rows;
    });
  }

  async removeForGood(caller: CallerContext, id: number): Promise<Task | undefined> {
    const { user } = caller;
    const isDeleted = and(eq(deletedTasks.userId, user), eq(deletedTasks.id, id));
    return this.#changeTask(caller, id, async (database, matching) => {
      const deleted = await database.delete(deletedTasks).where(isDeleted).returning();
      const rows = await database.delete(tasks).where(matching).returning();
      for (const row of rows) await removeWords(database, user, row);
      return [...rows, ...deleted.map((row) => Object.assign(row, NO_CLAIM))];
    });
  }

  async restore(caller: CallerContext, id: number): Promise<Task | undefined> {
    const { user } = caller;
    return this.#changeTask(caller, id, async (database, matching, now) => {
      const isDeleted = and(
        eq(deletedTasks.userId, user),
        eq(deletedTasks.id, id),
        gt(deletedTasks.deletedAt, daysBefore(now, RESTORE_DAYS)),
      );
      const deleted = await database.delete(deletedTasks).where(isDeleted).returning();
      if (deleted.length > 0) {
        await database.insert(tasks).values(deleted);
        await addWords(database, deleted);
      }
      return database.select().from(tasks).where(matching);
    });
  }

  async update(caller: CallerContext, id: number, changes: TaskChanges): Promise<Task | undefined> {
    const work = async (database: NodePgDatabase, matching: SQL | undefined) => {
      const [task] = await database.select().from(tasks).where(matching).for('update');
      if (task === undefined) return [];
      await checkOrder(database, caller.user, changes.after ?? [], id);
      const hasNewText = changes.title !== undefined || changes.description !== undefined;
      if (hasNewText) await removeWords(database, caller.user, task);
      // An update must set at least one column.
      const updated = await database
        .update(tasks)
        .set({ title: task.title, ...changesOf(changes) })
        .where(matching)
        .returning();
      if (hasNewText) await addWords(database, updated);
      return updated;
    };
    return this.#changeTask(caller, id, work, changedFields(changes));
  }

  async claim(caller: CallerContext, request: ClaimRequest): Promise<ClaimOutcome | undefined> {
    return this.#change(caller, async (database) => {
      if (request.id !== undefined && !isId(request.id)) return auditedClaim(request.id, undefined);
      const { id, outcome } = await claimTask(database, caller.user, request);
      return auditedClaim(id, outcome);
    });
  }

  async release(caller: CallerContext, id: number, holder: ClaimHolder): Promise<ClaimOutcome | undefined> {
    return this.#change(caller, async (database) =>
      auditedClaim(id, isId(id) ? await releaseTask(database, caller.user, id, holder) : undefined),
    );
  }

  async readAudit(caller: CallerContext, limit: number): Promise<readonly AuditRow[]> {
    const { user } = caller;
    const rows = await this.#transact({ ...caller, actor: user }, 'read', async (database) =>
      database
        .select(auditColumns)
        .from(audit)
        .where(or(eq(audit.userId, user), eq(audit.actor, user)))
        .orderBy(desc(audit.id))
        .limit(limit),
    );
    return rows.map((row) => Object.assign(row, { at: toTimestamp(row.at) }));
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
    work: (database: NodePgDatabase, matching: SQL | undefined, now: Date) => Promise<readonly TaskRow[]>,
    changed: readonly string[] = [],
  ): Promise<Task | undefined> {
    return this.#change(caller, async (database, now) => {
      const rows = isId(id) ? await work(database, matchesTask(caller.user, id), now) : [];
      return auditedTask(id, rows.map(toTask)[0], changed);
    });
  }

  async #read<T>(
    caller: CallerContext,
    work: (database: NodePgDatabase) => Promise<AuditedResult<T>>,
  ): Promise<T> {
    const { result, ...entry } = await this.#transact(caller, 'read', work);
    // The caller does not wait for the row, and a server that can only be read still answers.
    this.#record(caller.user, caller, entry).catch(() => undefined);
    return result;
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

const { id: auditId, userId: user, ...otherAuditColumns } = getTableColumns(audit);
const auditColumns = { user, ...otherAuditColumns };

/** A model can send any number; the column has integers. */
function isId(id: number): boolean {
  return Number.isSafeInteger(id);
}

async function writeAudit(
  database: NodePgDatabase,
  at: Date,
  { actor, user, tool }: CallerContext,
  entry: AuditEntry,
): Promise<void> {
  if (entry.outcome !== 'ok' && !(await countRefusal(database, actor, dayOf(at)))) return;
  await database.insert(audit).values({ at, actor, userId: storable(user), tool, ...toAuditColumns(entry) });
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
