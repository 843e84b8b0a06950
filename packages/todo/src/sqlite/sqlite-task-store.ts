import { resolve } from 'node:path';
import { and, count, desc, eq, gte, lt, sql, type SQL, sum } from 'drizzle-orm';
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3';
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
  StoreUnavailable,
  type Task,
  type TaskChanges,
  type TaskPage,
  type TaskQuery,
  type TaskStore,
  toTimestamp,
} from '../store/task-store.ts';
import { fileIdentity, openConnection } from './connection.ts';
import { GroupQueue } from './group-queue.ts';
import { migrations } from './migrations.ts';
import { audit, refusals, taskCounts, tasks, TASKS_PER_BLOCK, users } from './schema.ts';

const DEFAULT_BUSY_TIMEOUT_MS = 5000;

export interface SqliteTaskStoreOptions {
  /** A path, or `:memory:`. */
  readonly file: string;
  readonly now?: () => Date;
  /** How long a call waits for the lock before it rejects with StoreBusy. Default 5000. */
  readonly busyTimeoutMs?: number;
}

type Connection = ReturnType<typeof connect>;
type TaskRow = typeof tasks.$inferSelect;

/**
 * A TaskStore in one SQLite file. The first call opens the database, and creates or migrates it if necessary;
 * if that fails, the next call tries again.
 */
export class SqliteTaskStore implements TaskStore {
  readonly #file: string;
  readonly #now: () => Date;
  readonly #reads: GroupQueue<Connection>;
  readonly #writes: GroupQueue<Connection>;
  #connection: Connection | undefined;

  constructor({
    file,
    now = () => new Date(),
    busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS,
  }: SqliteTaskStoreOptions) {
    this.#file = file === ':memory:' ? file : resolve(file);
    this.#now = now;
    const open = () => this.#open();
    this.#reads = new GroupQueue({ kind: 'read', open, timeoutMs: busyTimeoutMs });
    this.#writes = new GroupQueue({ kind: 'write', open, timeoutMs: busyTimeoutMs });
  }

  async prepare(): Promise<readonly string[]> {
    return this.#reads.run(() => []);
  }

  async add(caller: CallerContext, { title, description }: NewTask): Promise<Task> {
    return this.#change(caller, ({ statements }, now) => {
      const { user } = caller;
      const { id } = statements.reserveId.get({ user });
      const row = { user, id, title, description, now };
      return { result: toTask(statements.addTask.get(row)), outcome: 'ok', taskId: id };
    });
  }

  async list(caller: CallerContext, query: TaskQuery): Promise<TaskPage> {
    const page = await this.#reads.run(({ orm }) => readPage(orm, caller.user, query), caller);
    // The caller does not wait for the row, and a database that is locked or full can still be read.
    this.#record(caller, { outcome: 'ok' }).catch(() => undefined);
    return page;
  }

  async complete(caller: CallerContext, id: number): Promise<Task | undefined> {
    return this.#change(caller, ({ orm }) => {
      const update = orm.update(tasks).set({ completed: true });
      return auditedTask(id, oneTask(update.where(matchesTask(caller.user, id)).returning().all()));
    });
  }

  async remove(caller: CallerContext, id: number): Promise<Task | undefined> {
    return this.#change(caller, ({ orm }) =>
      auditedTask(id, oneTask(orm.delete(tasks).where(matchesTask(caller.user, id)).returning().all())),
    );
  }

  async update(caller: CallerContext, id: number, changes: TaskChanges): Promise<Task | undefined> {
    return this.#change(caller, ({ orm }) => {
      const { title = sql`${tasks.title}`, description = sql`${tasks.description}` } = changes;
      const update = orm.update(tasks).set({ title, description });
      const rows = update.where(matchesTask(caller.user, id)).returning().all();
      return auditedTask(id, oneTask(rows), changedFields(changes));
    });
  }

  async recordRejection(caller: CallerContext, reason: RejectionReason, taskId?: number): Promise<void> {
    return this.#record(claimedCaller(caller), { outcome: reason, taskId });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new StoreUnavailable('The task store is closed');
    this.#reads.close(closed, false);
    this.#writes.close(closed, this.#connection !== undefined);
    this.#connection?.client.close();
  }

  /** Runs the work and writes its audit row: both are on disk when this resolves, or neither. */
  async #change<T>(
    caller: CallerContext,
    work: (connection: Connection, now: Date) => AuditedResult<T>,
  ): Promise<T> {
    return this.#writes.run((connection) => {
      const now = this.#now();
      const { result, ...entry } = work(connection, now);
      writeAudit(connection, now, caller, entry);
      return result;
    }, caller);
  }

  /** Writes an audit row without a change. */
  async #record(caller: CallerContext, entry: AuditEntry): Promise<void> {
    const now = this.#now();
    const work = (connection: Connection) => writeAudit(connection, now, caller, entry);
    return this.#writes.run(work, { isBackground: true });
  }

  #open(): Connection {
    this.#connection ??= connect(this.#file);
    // The file that is open has no name any more: what it accepts is lost when the process ends.
    if (fileIdentity(this.#file) !== this.#connection.identity) throw replaced(this.#file);
    return this.#connection;
  }
}

function replaced(file: string): StoreUnavailable {
  const reason = `${file} was deleted or replaced while this server runs. Stop all servers that use it. If it was replaced, delete ${file}-wal and ${file}-shm, which belong to the old file. Then start them again`;
  return new StoreUnavailable(reason, {
    advice: 'to restart the todo server: its database file was deleted or replaced.',
  });
}

function connect(file: string) {
  const client = openConnection(file, migrations);
  const orm = drizzle(client);
  return { client, orm, statements: prepareStatements(orm), identity: fileIdentity(file) };
}

/** What most calls run: drizzle needs more time to write these statements than SQLite needs to run them. */
function prepareStatements(orm: BetterSQLite3Database) {
  const value = sql.placeholder;
  const today = sql`${refusals.day} = excluded.day`;
  return {
    /** The user's next id. The first one creates the user. */
    reserveId: orm
      .insert(users)
      .values({ id: value('user'), lastTaskId: 1 })
      .onConflictDoUpdate({ target: users.id, set: { lastTaskId: sql`${users.lastTaskId} + 1` } })
      .returning({ id: users.lastTaskId })
      .prepare(),
    addTask: orm
      .insert(tasks)
      .values({
        userId: value('user'),
        id: value('id'),
        title: value('title'),
        description: value('description'),
        completed: false,
        createdAt: value('now'),
      })
      .returning()
      .prepare(),
    /** Counts a refused call of a day, and returns nothing if the day has enough of them. */
    countRefusal: orm
      .insert(refusals)
      .values({ actor: value('actor'), day: value('day'), count: 1 })
      .onConflictDoUpdate({
        target: refusals.actor,
        set: { day: sql`excluded.day`, count: sql`CASE WHEN ${today} THEN ${refusals.count} + 1 ELSE 1 END` },
        setWhere: sql`NOT ${today} OR ${refusals.count} < ${MAX_REFUSALS_PER_DAY}`,
      })
      .returning({ count: refusals.count })
      .prepare(),
    writeAudit: orm
      .insert(audit)
      .values({
        at: value('at'),
        actor: value('actor'),
        user: value('user'),
        tool: value('tool'),
        outcome: value('outcome'),
        taskId: value('taskId'),
        changed: value('changed'),
      })
      .prepare(),
  };
}

function writeAudit(
  { statements }: Connection,
  at: Date,
  { actor, user, tool }: CallerContext,
  { outcome, taskId, changed = [] }: AuditEntry,
): void {
  if (outcome !== 'ok') {
    if (statements.countRefusal.get({ actor, day: dayOf(at) }) === undefined) return;
  }
  statements.writeAudit.run({
    at,
    actor,
    user,
    tool,
    outcome,
    // A model can send any number, but a STRICT table rejects 1e300 in an INTEGER column.
    taskId: Number.isSafeInteger(taskId) ? taskId : null,
    changed: changed.length > 0 ? changed.join(',') : null,
  });
}

function readPage(orm: BetterSQLite3Database, user: string, { status, limit, afterId }: TaskQuery): TaskPage {
  const matching = matchesQuery(user, status, afterId);
  const rows = orm.select().from(tasks).where(matching).orderBy(desc(tasks.id)).limit(limit).all();
  const last = rows.length === limit ? rows.at(-1)?.id : undefined;
  const remaining = last === undefined ? 0 : countTasksBefore(orm, user, status, last);
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
function countTasksBefore(
  orm: BetterSQLite3Database,
  user: string,
  status: TaskQuery['status'],
  id: number,
): number {
  const block = Math.floor(id / TASKS_PER_BLOCK);
  const { pending, completed } = taskCounts;
  const counter = { all: sql`${pending} + ${completed}`, pending, completed }[status];
  const blocks = orm
    .select({ tasks: sum(counter).mapWith(Number) })
    .from(taskCounts)
    .where(and(eq(taskCounts.userId, user), lt(taskCounts.block, block)))
    .get();
  const rest = orm
    .select({ tasks: count() })
    .from(tasks)
    .where(and(matchesQuery(user, status, id), gte(tasks.id, block * TASKS_PER_BLOCK)))
    .get();
  return (blocks?.tasks ?? 0) + (rest?.tasks ?? 0);
}

function oneTask([row]: readonly TaskRow[]): Task | undefined {
  return row === undefined ? undefined : toTask(row);
}

function toTask({ id, title, description, completed, createdAt }: TaskRow): Task {
  return { id, title, description, completed, createdAt: toTimestamp(createdAt) };
}
