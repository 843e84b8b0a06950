import { resolve } from 'node:path';
import type Database from 'better-sqlite3';
import { addTogether, type Addition } from '../store/changes.ts';
import { everyDay } from '../store/every-day.ts';
import { type Caller, type Driver, SqlTaskStore, type Work } from '../store/sql-task-store.ts';
import { type Operation, type Query, type Statement, valueOf } from '../store/statements.ts';
import { StoreUnavailable, type Task } from '../store/task-store.ts';
import { purge } from '../store/upkeep.ts';
import { openConnection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';
import { FileGuard } from './file-guard.ts';
import { FileWatch } from './file-watch.ts';
import { GroupQueue } from './group-queue.ts';
import { migrations } from './migrations.ts';

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
export class SqliteTaskStore extends SqlTaskStore {
  constructor(options: SqliteTaskStoreOptions) {
    const { now = () => new Date() } = options;
    super(new SqliteDriver(options, now), now);
  }
}

class SqliteDriver implements Driver {
  readonly #file: string;
  readonly #now: () => Date;
  readonly #reads: GroupQueue<Connection>;
  readonly #writes: GroupQueue<Connection>;
  #connection: Connection | undefined;
  #cleaning: NodeJS.Timeout | undefined;
  /** Whether texts of tasks that were removed for good can be in the write-ahead log. */
  #hasOldTexts = false;
  readonly #watching = new FileWatch(() => this.#connection?.client);

  constructor(
    { file, busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS, uptime }: SqliteTaskStoreOptions,
    now: () => Date,
  ) {
    this.#file = file === ':memory:' ? file : resolve(file);
    this.#now = now;
    const open = () => this.#open();
    this.#reads = new GroupQueue({ kind: 'read', open, timeoutMs: busyTimeoutMs, uptime });
    const committed = () => this.#connection?.guard.followLog();
    this.#writes = new GroupQueue({ kind: 'write', open, committed, timeoutMs: busyTimeoutMs, uptime });
  }

  prepare(): Promise<readonly string[]> {
    return this.#reads.run(() => []);
  }

  read<T>({ signal }: Caller, work: Work<T>): Promise<T> {
    return this.#reads.runSteps((connection) => connection.steps(work()), { signal });
  }

  change<T>({ signal }: Caller, work: Work<T>): Promise<T> {
    return this.#writes.run((connection) => connection.run(work()), { signal });
  }

  async add(addition: Addition): Promise<readonly Task[]> {
    const { caller } = addition;
    const [added = []] = await this.change(caller, () => addTogether(caller.user, [addition]));
    return added;
  }

  background<T>(work: Work<T>): Promise<T> {
    return this.#writes.run((connection) => connection.run(work()), { isBackground: true });
  }

  forgotten(): void {
    this.#hasOldTexts = true;
    this.#emptyLog();
  }

  watch(user: string, changed: () => void): () => void {
    // A file that cannot be opened now is opened by a call.
    this.prepare().catch(() => undefined);
    return this.#watching.watch(user, changed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new StoreUnavailable('The task store is closed');
    this.#reads.close(closed, false);
    this.#writes.close(closed, this.#connection !== undefined);
    clearInterval(this.#cleaning);
    this.#watching[Symbol.dispose]();
    this.#connection?.guard.close();
  }

  async #cleanUp(): Promise<void> {
    try {
      const hasRemoved = await this.background(() => purge(this.#now()));
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
      const isBusy = this.#open().client.pragma('wal_checkpoint(TRUNCATE)', { simple: true });
      this.#hasOldTexts = isBusy !== 0;
    } catch {
      // What was deleted is deleted; its text stays in the log for now.
    }
  }

  #open(): Connection {
    if (this.#connection === undefined) {
      this.#connection = new Connection(this.#file);
      this.#watching.opened();
      this.#cleaning = everyDay(this.#now, () => void this.#cleanUp());
    } else this.#connection.guard.check();
    return this.#connection;
  }
}

/** An open file with the statements that were prepared in it. */
class Connection {
  readonly client: Database.Database;
  readonly guard: FileGuard;
  readonly #prepared = new Map<Statement, Database.Statement>();

  constructor(file: string) {
    this.client = openConnection(file, migrations);
    this.guard = new FileGuard(file, this.client);
  }

  /** Runs an operation to its end. */
  run<T>(operation: Operation<T>): T {
    const steps = this.steps(operation);
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  }

  /** Runs an operation step by step. */
  *steps<T>(operation: Operation<T>): Generator<void, T> {
    let step = operation.next();
    while (step.done !== true) {
      step = operation.next(step.value.queries.map((query) => this.#rows(query)));
      if (step.done !== true) yield;
    }
    return step.value;
  }

  #rows({ statement, values }: Query): readonly (readonly unknown[])[] {
    const rendered = statement.render(sqliteDialect);
    if (rendered === undefined) return [];
    let prepared = this.#prepared.get(statement);
    if (prepared === undefined) {
      prepared = this.client.prepare(rendered.texts.join('?'));
      if (prepared.reader) prepared.raw();
      this.#prepared.set(statement, prepared);
    }
    const parameters = rendered.parameters.map((parameter) => valueOf(parameter, values));
    if (prepared.reader) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a raw statement returns arrays
      return prepared.all(...parameters) as unknown[][];
    }
    prepared.run(...parameters);
    return [];
  }
}
