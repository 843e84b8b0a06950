import { resolve } from 'node:path';
import { getOrAdd } from '@deskside/core/base';
import type Database from 'better-sqlite3';
import { sql } from 'drizzle-orm';
import { type Driver, NOBODY, sqlTaskStore } from '../store/sql-task-store.ts';
import {
  type Dialect,
  finish,
  type Flight,
  type Query,
  type Rows,
  type Statement,
  valueOf,
} from '../store/statements.ts';
import { storeClosed, type TaskStore } from '../store/task-store.ts';
import { everyHour, purge } from '../store/upkeep.ts';
import type { Caller, ChangeCall, Work } from '../store/waiting-calls.ts';
import { openConnection } from './connection.ts';
import { FileGuard } from './file-guard.ts';
import { migrations } from './migrate.ts';
import { Turns } from './turns.ts';

const DEFAULT_BUSY_TIMEOUT_MS = 5000;

const sqliteDialect: Dialect = {
  now: sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`,
  each: (json) => sql`json_each(${json}) AS item`,
  forUpdate: sql``,
  skipLocked: sql``,
  // A file has no roles, and one transaction that writes.
  lockTokens: sql`SELECT 1`,
  actAs: sql`SELECT 1`,
};

export interface SqliteTaskStoreOptions {
  /** A path, or `:memory:`. */
  readonly file: string;
  readonly now?: () => Date;
  /** How long a call waits for another process before it rejects with StoreBusy. Default 5000. */
  readonly busyTimeoutMs?: number;
}

/**
 * A TaskStore in one SQLite file. The first call opens the database, and creates or migrates it if necessary;
 * if that fails, the next call tries again.
 */
export function sqliteTaskStore(options: SqliteTaskStoreOptions): TaskStore {
  const { now = () => new Date() } = options;
  return sqlTaskStore(new SqliteDriver(options, now), now);
}

class SqliteDriver implements Driver {
  readonly #file: string;
  readonly #now: () => Date;
  readonly #turns: Turns;
  #connection: Connection | undefined;
  #cleaning: NodeJS.Timeout | undefined;

  constructor({ file, busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS }: SqliteTaskStoreOptions, now: () => Date) {
    this.#file = file === ':memory:' ? file : resolve(file);
    this.#now = now;
    this.#turns = new Turns({
      open: () => this.#open(),
      committed: () => void this.#connection?.guard.followLog(),
      timeoutMs: busyTimeoutMs,
    });
  }

  prepare(): Promise<readonly string[]> {
    return this.read(NOBODY, () => finish());
  }

  read<T>(caller: Caller, work: Work<T>): Promise<T> {
    return this.#turns.read(caller, work);
  }

  change(call: ChangeCall): Promise<unknown> {
    return this.#turns.change(call);
  }

  /** The write-ahead log keeps old texts until it is overwritten. While other processes read, it is not emptied. */
  forgotten(): void {
    try {
      this.#open().client.pragma('wal_checkpoint(TRUNCATE)');
    } catch {
      // What was deleted is deleted; its text stays in the log for now.
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#turns.close(storeClosed());
    clearInterval(this.#cleaning);
    this.#connection?.guard.close();
  }

  async #cleanUp(): Promise<void> {
    try {
      const work = () => purge(this.#now());
      if ((await this.change({ caller: NOBODY, work })) === true) this.forgotten();
    } catch {
      // If another process holds the lock, the next hour tries again.
    }
  }

  #open(): Connection {
    if (this.#connection === undefined) {
      this.#connection = new Connection(this.#file);
      this.#cleaning = everyHour(() => void this.#cleanUp());
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
  run<T>(work: Work<T>): T {
    const operation = work();
    let step = operation.next();
    while (step.done !== true) step = operation.next(this.answer(step.value));
    return step.value;
  }

  answer({ queries }: Flight): readonly Rows[] {
    return queries.map((query) => this.#rows(query));
  }

  #rows({ statement, values }: Query): Rows {
    const { texts, parameters } = statement.render(sqliteDialect);
    const prepared = getOrAdd(this.#prepared, statement, () => {
      const written = this.client.prepare(texts.join('?'));
      return written.reader ? written.raw() : written;
    });
    const given = parameters.map((parameter) => valueOf(parameter, values));
    if (prepared.reader) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a raw statement returns arrays
      return prepared.all(...given) as unknown[][];
    }
    prepared.run(...given);
    return [];
  }
}
