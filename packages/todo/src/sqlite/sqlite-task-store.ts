import { resolve } from 'node:path';
import type { StoredTokens } from '@deskside/core/base';
import { and, asc, desc, eq, getTableColumns, gt, or } from 'drizzle-orm';
import { CallCounter } from '../store/call-counts.ts';
import { everyDay } from '../store/every-day.ts';
import {
  addedTask,
  auditedTask,
  type AuditedResult,
  changedFields,
  changesOf,
  daysBefore,
  toAuditColumns,
  toTask,
  toTimestamp,
} from '../store/records.ts';
import { auditedClaim } from '../store/claims.ts';
import {
  type Audit,
  type CallerContext,
  IdempotencyConflict,
  type NewTask,
  type RejectionReason,
  RESTORE_DAYS,
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
import { checkOrder, claimTask, isLoop, NO_CLAIM, releaseTask } from './claims.ts';
import { fileIdentity } from './connection.ts';
import { FileWatch } from './file-watch.ts';
import { GroupQueue } from './group-queue.ts';
import { matchesTask, readPage } from './reading.ts';
import { audit, callCounts, deletedTasks, tasks } from './schema.ts';
import { connect, type Connection } from './statements.ts';
import { sqliteTokens } from './tokens.ts';
import {
  addCounts,
  addOnce,
  addTask,
  addWords,
  cleanUp,
  completeTask,
  removeTask,
  removeWords,
} from './writing.ts';

const DEFAULT_BUSY_TIMEOUT_MS = 5000;

export interface SqliteTaskStoreOptions {
  /** A path, or `:memory:`. */
  readonly file: string;
  readonly now?: () => Date;
  /** How long a call waits for the lock before it rejects with StoreBusy. Default 5000. */
  readonly busyTimeoutMs?: number;
  /** Milliseconds of a monotonic clock, for the length of a group of calls. Default `performance.now`. */
  readonly uptime?: () => number;
}

/**
 * A TaskStore in one SQLite file. The first call opens the database, and creates or migrates it if necessary;
 * if that fails, the next call tries again.
 */
export class SqliteTaskStore implements TaskStore {
  readonly tokens: StoredTokens;
  readonly #file: string;
  readonly #now: () => Date;
  readonly #reads: GroupQueue<Connection>;
  readonly #writes: GroupQueue<Connection>;
  #connection: Connection | undefined;
  #cleaning: NodeJS.Timeout | undefined;
  /** Whether texts of tasks that were removed for good can be in the write-ahead log. */
  #hasOldTexts = false;
  readonly #counter: CallCounter;
  readonly #watching = new FileWatch(() => this.#connection?.client);

  constructor({
    file,
    now = () => new Date(),
    busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS,
    uptime,
  }: SqliteTaskStoreOptions) {
    this.#file = file === ':memory:' ? file : resolve(file);
    this.#now = now;
    const open = () => this.#open();
    this.#reads = new GroupQueue({ kind: 'read', open, timeoutMs: busyTimeoutMs, uptime });
    this.#writes = new GroupQueue({ kind: 'write', open, timeoutMs: busyTimeoutMs, uptime });
    this.tokens = sqliteTokens(this.#reads, this.#writes, now);
    this.#counter = new CallCounter((counts) =>
      this.#writes.run((connection) => addCounts(connection, counts), { isBackground: true }),
    );
  }

  async prepare(): Promise<readonly string[]> {
    return this.#reads.run(() => []);
  }

  async add(caller: CallerContext, task: NewTask, idempotencyKey?: string): Promise<Task> {
    const added = await this.#change(caller, (connection, now) =>
      idempotencyKey === undefined
        ? addedTask(addTask(connection, caller.user, task, now))
        : addOnce(connection, caller.user, task, { key: idempotencyKey, now }),
    );
    if (added === undefined) throw new IdempotencyConflict();
    return added;
  }

  async addAll(caller: CallerContext, all: readonly NewTask[]): Promise<readonly Task[]> {
    return this.#change(caller, (connection, now) => ({
      result: all.map((task) => addTask(connection, caller.user, task, now)),
      outcome: 'ok',
    }));
  }

  async list(caller: CallerContext, query: TaskQuery): Promise<TaskPage> {
    return this.#read(caller, (connection) => ({
      result: readPage(connection, caller.user, query),
      outcome: 'ok',
    }));
  }

  async get(caller: CallerContext, id: number): Promise<Task | undefined> {
    return this.#read(caller, ({ orm }) => {
      const row = orm.select().from(tasks).where(matchesTask(caller.user, id)).get();
      return auditedTask(id, row && toTask(row));
    });
  }

  async complete(caller: CallerContext, id: number): Promise<Task | undefined> {
    return this.#change(caller, (connection, now) =>
      auditedTask(id, completeTask(connection, caller.user, id, now)),
    );
  }

  async reopen(caller: CallerContext, id: number): Promise<Task | undefined> {
    return this.#change(caller, ({ orm }) => {
      const isTask = matchesTask(caller.user, id);
      const update = orm.update(tasks).set({ completed: false, ...NO_CLAIM });
      const [reopened] = update
        .where(and(isTask, eq(tasks.completed, true)))
        .returning()
        .all();
      // A pending task stays as it is, with its claim.
      const row = reopened ?? orm.select().from(tasks).where(isTask).get();
      return auditedTask(id, row && toTask(row));
    });
  }

  async remove(caller: CallerContext, id: number): Promise<Task | undefined> {
    return this.#change(caller, (connection, now) => {
      const row = removeTask(connection, caller.user, id);
      if (row !== undefined) {
        const deleted = { ...row, deletedAt: now };
        connection.orm.insert(deletedTasks).values(deleted).run();
      }
      return auditedTask(id, row && toTask(row));
    });
  }

  async removeForGood(caller: CallerContext, id: number): Promise<Task | undefined> {
    const isDeleted = and(eq(deletedTasks.userId, caller.user), eq(deletedTasks.id, id));
    const forgotten = await this.#change(caller, (connection) => {
      const [deleted] = connection.orm.delete(deletedTasks).where(isDeleted).returning().all();
      const row = removeTask(connection, caller.user, id) ?? deleted;
      return auditedTask(id, row && toTask(row));
    });
    if (forgotten !== undefined) {
      this.#hasOldTexts = true;
      this.#emptyLog();
    }
    return forgotten;
  }

  async restore(caller: CallerContext, id: number): Promise<Task | undefined> {
    const { user } = caller;
    return this.#change(caller, (connection, now) => {
      const { orm } = connection;
      const isDeleted = and(
        eq(deletedTasks.userId, user),
        eq(deletedTasks.id, id),
        gt(deletedTasks.deletedAt, daysBefore(now, RESTORE_DAYS)),
      );
      const [row] = orm.delete(deletedTasks).where(isDeleted).returning().all();
      // What was ordered meanwhile may wait for it.
      const deleted = row && isLoop(orm, user, row.waitsFor, id) ? { ...row, waitsFor: [] } : row;
      if (deleted !== undefined) {
        orm.insert(tasks).values(deleted).run();
        addWords(connection, user, deleted);
      }
      const restored = deleted ?? orm.select().from(tasks).where(matchesTask(user, id)).get();
      return auditedTask(id, restored && toTask(restored));
    });
  }

  async update(caller: CallerContext, id: number, changes: TaskChanges): Promise<Task | undefined> {
    return this.#change(caller, (connection) => {
      const { orm } = connection;
      const before = orm.select().from(tasks).where(matchesTask(caller.user, id)).get();
      if (before === undefined) return auditedTask(id, undefined);
      checkOrder(orm, caller.user, changes.after ?? [], id);
      const hasNewText = changes.title !== undefined || changes.description !== undefined;
      if (hasNewText) removeWords(connection, caller.user, before);
      // An update must set at least one column.
      const update = orm.update(tasks).set({ title: before.title, ...changesOf(changes) });
      const row = update.where(matchesTask(caller.user, id)).returning().get();
      if (hasNewText) addWords(connection, caller.user, row);
      return auditedTask(id, toTask(row), changedFields(changes));
    });
  }

  async claim(caller: CallerContext, request: ClaimRequest): Promise<ClaimOutcome | undefined> {
    return this.#change(caller, ({ orm }) => {
      const { id, outcome } = claimTask(orm, caller.user, request);
      return auditedClaim(id, outcome);
    });
  }

  async release(caller: CallerContext, id: number, holder: ClaimHolder): Promise<ClaimOutcome | undefined> {
    return this.#change(caller, ({ orm }) => auditedClaim(id, releaseTask(orm, caller.user, id, holder)));
  }

  async readAudit({ user }: CallerContext, limit: number): Promise<Audit> {
    await this.#counter.flush();
    return this.#reads.run(({ orm }) => ({
      changes: orm
        .select(auditColumns)
        .from(audit)
        .where(or(eq(audit.user, user), eq(audit.actor, user)))
        .orderBy(desc(audit.id))
        .limit(limit)
        .all()
        .map((row) => Object.assign(row, { at: toTimestamp(row.at) })),
      counts: orm
        .select()
        .from(callCounts)
        .where(eq(callCounts.actor, user))
        .orderBy(desc(callCounts.day), asc(callCounts.tool), asc(callCounts.outcome))
        .limit(limit)
        .all(),
    }));
  }

  recordRejection(caller: CallerContext, reason: RejectionReason): void {
    this.#counter.count(caller, reason, this.#now());
  }

  watch(user: string, changed: () => void): () => void {
    // A file that cannot be opened now is opened by a call.
    this.prepare().catch(() => undefined);
    return this.#watching.watch(user, changed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new StoreUnavailable('The task store is closed');
    const counted = this.#counter[Symbol.asyncDispose]();
    this.#reads.close(closed, false);
    this.#writes.close(closed, this.#connection !== undefined);
    await counted;
    clearInterval(this.#cleaning);
    this.#watching[Symbol.dispose]();
    this.#connection?.client.close();
  }

  /** Runs the work and writes its audit row: both are on disk when this resolves, or neither. */
  async #change<T>(
    caller: CallerContext,
    work: (connection: Connection, now: Date) => AuditedResult<T>,
  ): Promise<T> {
    const now = this.#now();
    const { result, outcome } = await this.#writes.run((connection) => {
      const done = work(connection, now);
      const { actor, user, tool } = caller;
      if (done.outcome === 'ok') {
        const at = now.getTime();
        connection.statements.writeAudit.run({ at, actor, user, tool, ...toAuditColumns(done) });
      }
      return done;
    }, caller);
    if (outcome !== 'ok') this.#counter.count(caller, outcome, now);
    return result;
  }

  async #read<T>(caller: CallerContext, work: (connection: Connection) => AuditedResult<T>): Promise<T> {
    const { result, outcome } = await this.#reads.run(work, caller);
    this.#counter.count(caller, outcome, this.#now());
    return result;
  }

  async #cleanUp(): Promise<void> {
    const work = (connection: Connection) => cleanUp(connection, this.#now());
    try {
      const hasRemoved = await this.#writes.run(work, { isBackground: true });
      this.#hasOldTexts ||= hasRemoved;
    } catch {
      // If another process holds the lock, the next day tries again.
    }
    if (this.#hasOldTexts) this.#emptyLog();
  }

  /**
   * The write-ahead log keeps old texts until it is overwritten. Waits for readers of other processes as long as SQLite may block;
   * if they read longer, the next removal for good or the next day tries again.
   */
  #emptyLog(): void {
    try {
      const isBusy = this.#connection?.client.pragma('wal_checkpoint(TRUNCATE)', { simple: true });
      this.#hasOldTexts = isBusy !== 0;
    } catch {
      // What was deleted is deleted; its text stays in the log for now.
    }
  }

  #open(): Connection {
    if (this.#connection === undefined) {
      this.#connection = connect(this.#file);
      this.#watching.opened();
      this.#cleaning = everyDay(this.#now, () => void this.#cleanUp());
    }
    // The file that is open has no name any more: what it accepts is lost when the process ends.
    if (fileIdentity(this.#file) !== this.#connection.identity) throw replaced(this.#file);
    return this.#connection;
  }
}

const { id: auditId, ...auditColumns } = getTableColumns(audit);

function replaced(file: string): StoreUnavailable {
  const reason = `${file} was deleted or replaced while this server runs. Stop all servers that use it. If it was replaced, delete ${file}-wal and ${file}-shm, which belong to the old file. Then start them again`;
  return new StoreUnavailable(reason, {
    advice: 'to restart the todo server: its database file was deleted or replaced.',
  });
}
