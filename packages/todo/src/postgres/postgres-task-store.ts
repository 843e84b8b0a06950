import { getOrAdd } from '@deskside/core/base';
import { UserError } from '@deskside/core/errors';
import { sqlTaskStore } from '../store/sql-task-store.ts';
import { hostsOf } from '../store/database-path.ts';
import { OutcomeUnknown, StoreUnavailable, type TaskStore, storeClosed } from '../store/task-store.ts';
import type { Pool } from 'pg';
import { everyHour, purge } from '../store/upkeep.ts';
import {
  type Caller,
  type ChangeCall,
  type Driver,
  NOBODY,
  together,
  type WaitingCall,
  WaitingCalls,
  type Work,
} from '../store/waiting-calls.ts';
import { before, currentHost, DEFAULT_WAIT_MS, openPool } from './connection.ts';
import { prepareDatabase } from './migrate.ts';
import { type Call, runTransaction } from './transaction.ts';

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
  /** The changes of each user are sent one after the other, and those of different users at the same time. */
  readonly #queues = new Map<string, WaitingCalls>();
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
  prepare(): Promise<readonly string[]> {
    this.#prepared ??= this.#prepare().catch((error: unknown) => {
      this.#prepared = undefined;
      throw error;
    });
    return this.#prepared;
  }

  read<T>(caller: Caller, work: Work<T>): Promise<T> {
    return this.#run({ caller, work, isChange: false, deadlineMs: this.#deadline() });
  }

  change<T>(call: ChangeCall<T>): Promise<T> {
    const { user } = call.caller;
    const isIdle = !this.#queues.has(user);
    const queue = getOrAdd(this.#queues, user, () => new WaitingCalls());
    const answer = queue.add(call, this.#deadline() + (call.added ?? 0) * ADD_MS);
    if (isIdle) void this.#drain(user, queue);
    return answer;
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

  async #drain(user: string, queue: WaitingCalls): Promise<void> {
    while (queue.all.length > 0) await this.#sendGroup(queue.take());
    this.#queues.delete(user);
  }

  async #sendGroup(group: readonly WaitingCall[]): Promise<void> {
    const calls = group.map(({ call }) => call);
    const deadlineMs = Math.min(...group.map((waiting) => waiting.deadlineMs));
    const [{ caller } = { caller: NOBODY }] = calls;
    // Each row of the audit names the actor of its addition: the rights of the user are enough.
    const common = calls.length === 1 ? caller : { user: caller.user, actor: caller.user };
    try {
      const call = { caller: common, work: () => together(calls), isChange: true, deadlineMs };
      const answers = await this.#run(call);
      for (const [index, { resolve }] of group.entries()) resolve(answers[index]);
    } catch (error) {
      // A call that the database rejects fails alone.
      if (!UserError.is(error) && group.length > 1)
        for (const waiting of group) await this.#sendGroup([waiting]);
      else for (const { reject } of group) reject(error);
    }
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
