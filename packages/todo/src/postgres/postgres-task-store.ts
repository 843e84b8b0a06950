import { type Driver, NOBODY, sqlTaskStore } from '../store/sql-task-store.ts';
import { hostsOf } from '../store/database-path.ts';
import { OutcomeUnknown, StoreUnavailable, type TaskStore, storeClosed } from '../store/task-store.ts';
import type { Pool } from 'pg';
import { everyHour, purge } from '../store/upkeep.ts';
import { type Caller, type ChangeCall, isAddition, together, type Work } from '../store/waiting-calls.ts';
import { before, currentHost, DEFAULT_WAIT_MS, openPool } from './connection.ts';
import { prepareDatabase } from './migrate.ts';
import { type Call, runTransaction } from './transaction.ts';
import { UserQueues } from './user-queues.ts';

export interface PostgresTaskStoreOptions {
  /** `postgres://…` of the role that serves the calls. */
  readonly url: string;
  /** `postgres://…` of a role that may create and change the tables. Default: `url`. */
  readonly migrationUrl?: string | undefined;
  /** How many connections at most. Default 10. */
  readonly connections?: number | undefined;
  readonly now?: () => Date;
  /** How long a call takes at most, before it rejects with StoreBusy or StoreUnavailable. Default 5000. */
  readonly waitMs?: number;
}

const STILL_PREPARING = 'The task database does not answer, or is being migrated';

/** How much longer an import may take, per task. */
const ADD_MS = 5;

/**
 * A TaskStore in a PostgreSQL database that any number of processes share. The first call connects, and creates or
 * migrates the tables if necessary; if that fails, the next call tries again. Each call takes one or two round trips.
 */
export function postgresTaskStore(options: PostgresTaskStoreOptions): TaskStore {
  const { now = () => new Date() } = options;
  return sqlTaskStore(new PostgresDriver(options, now), now);
}

class PostgresDriver implements Driver {
  readonly #options: PostgresTaskStoreOptions;
  readonly #now: () => Date;
  readonly #waitMs: number;
  readonly #queues = new UserQueues((calls, deadlineMs) => this.#send(calls, deadlineMs));
  /** Of the host that was found last. */
  #pool: { readonly host: string; readonly pool: Pool } | undefined;
  #prepared: Promise<readonly string[]> | undefined;
  #purging: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: PostgresTaskStoreOptions, now: () => Date) {
    this.#options = options;
    this.#now = now;
    this.#waitMs = options.waitMs ?? DEFAULT_WAIT_MS;
  }

  /** Once, for all calls that wait for it; again after a failure. */
  async prepare(): Promise<readonly string[]> {
    this.#prepared ??= this.#prepare();
    try {
      return await this.#prepared;
    } catch (error) {
      this.#prepared = undefined;
      throw error;
    }
  }

  read<T>(caller: Caller, work: Work<T>): Promise<T> {
    return this.#run({ caller, work, isChange: false, deadlineMs: this.#deadline() });
  }

  change(call: ChangeCall): Promise<unknown> {
    const added = isAddition(call) ? call.tasks.length : 0;
    return this.#queues.run(call, this.#deadline() + added * ADD_MS);
  }

  forgotten(): void {
    // PostgreSQL overwrites deleted rows when it cleans the table.
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#purging);
    await this.#pool?.pool.end();
  }

  async #prepare(): Promise<readonly string[]> {
    const { url, connections } = this.#options;
    const problems = await prepareDatabase(this.#options);
    const host = await currentHost(url);
    if (this.#pool?.host !== host) {
      void this.#pool?.pool.end();
      this.#pool = { host, pool: openPool(host, connections) };
    }
    this.#purging ??= everyHour(() => void this.#purge());
    return problems;
  }

  async #transact<T>(call: Call<T>): Promise<T> {
    if (this.#pool === undefined) throw storeClosed();
    try {
      return await runTransaction(this.#pool.pool, call);
    } catch (error) {
      // Another host may have taken over: the next call looks for it.
      const isLost = error instanceof StoreUnavailable || error instanceof OutcomeUnknown;
      if (isLost && hostsOf(this.#options.url).length > 1) this.#prepared = undefined;
      throw error;
    }
  }

  /** Removes what is old on this clock and on that of the database, of all users. */
  async #purge(): Promise<void> {
    const work = () => purge(this.#now());
    const call = { caller: NOBODY, work, isChange: true, isPurge: true };
    // If it fails, the next hour tries again.
    await this.#transact({ ...call, deadlineMs: this.#deadline() }).catch(() => undefined);
  }

  async #send(calls: readonly ChangeCall[], deadlineMs: number): Promise<readonly unknown[]> {
    const [{ caller } = { caller: NOBODY }] = calls;
    // Each row of the audit names the actor of its addition: the rights of the user are enough.
    const common = calls.length === 1 ? caller : { user: caller.user, actor: caller.user };
    return this.#run({ caller: common, work: () => together(calls), isChange: true, deadlineMs });
  }

  async #run<T>(call: Call<T>): Promise<T> {
    if (this.#isClosed) throw storeClosed();
    await before(call.deadlineMs, this.prepare(), () => new StoreUnavailable(STILL_PREPARING));
    return this.#transact(call);
  }

  #deadline(): number {
    return performance.now() + this.#waitMs;
  }
}
