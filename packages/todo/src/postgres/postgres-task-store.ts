import { addTogether, type Addition } from '../store/changes.ts';
import { type Caller, type Driver, NOBODY, sqlTaskStore, type Work } from '../store/sql-task-store.ts';
import { hostsOf } from '../store/database-path.ts';
import { OutcomeUnknown, StoreUnavailable, type Task, type TaskStore } from '../store/task-store.ts';
import type { Pool } from 'pg';
import { everyHour, purge } from '../store/upkeep.ts';
import { before, currentHost, DEFAULT_WAIT_MS, openPool } from './connection.ts';
import { Listener, processOf } from './listener.ts';
import { prepareDatabase } from './prepare.ts';
import { type Call, runTransaction } from './transaction.ts';
import { UserQueues } from './user-queues.ts';

export interface PostgresTaskStoreOptions {
  /** `postgres://…` of the role that serves the calls. */
  readonly url: string;
  /** `postgres://…` of a role that may create and change the tables. Default: `url`. */
  readonly migrationUrl?: string | undefined;
  /** How many connections at most, besides one while somebody subscribes. Default 10. */
  readonly connections?: number | undefined;
  readonly now?: () => Date;
  /** How long a call takes at most, before it rejects with StoreBusy or StoreUnavailable. Default 5000. */
  readonly waitMs?: number;
}

const STILL_PREPARING = 'The task database does not answer, or is being migrated';

/** How much longer an import may take, per task. */
const ADD_MS = 5;

/** A change that waits for its turn among those of its user: additions are sent together. */
type UserCall = Addition | Pick<Call<unknown>, 'caller' | 'work'>;

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
  readonly #queues = new UserQueues<UserCall>(
    (user, calls, deadlineMs) => this.#send(user, calls, deadlineMs),
    isAddition,
  );
  readonly #listener: Listener;
  /** The processes of the database that serve the own calls. */
  readonly #own = new Set<number>();
  /** Of the host that was found last. */
  #pool: { readonly host: string; readonly pool: Pool } | undefined;
  readonly #background = new Set<Promise<unknown>>();
  #prepared: Promise<readonly string[]> | undefined;
  #purging: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: PostgresTaskStoreOptions, now: () => Date) {
    this.#options = options;
    this.#now = now;
    this.#waitMs = options.waitMs ?? DEFAULT_WAIT_MS;
    this.#listener = new Listener(options.url, this.#own);
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

  change<T>(caller: Caller, work: Work<T>): Promise<T> {
    return this.#queue({ caller, work }, this.#deadline());
  }

  add(addition: Addition): Promise<readonly Task[]> {
    return this.#queue(addition, this.#deadline() + addition.tasks.length * ADD_MS);
  }

  async #queue<T>(call: UserCall, deadlineMs: number): Promise<T> {
    const { user, signal } = call.caller;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `#send` answers with the result of the call
    return (await this.#queues.run(user, call, deadlineMs, signal)) as T;
  }

  async background<T>(work: Work<T>): Promise<T> {
    // A server that never had a connection opens none when it ends.
    if (this.#isClosed && this.#prepared === undefined) throw closed();
    const working = this.prepare().then(() =>
      this.#transact({ caller: NOBODY, work, isChange: true, deadlineMs: this.#deadline() }),
    );
    this.#background.add(working);
    try {
      return await working;
    } finally {
      this.#background.delete(working);
    }
  }

  forgotten(): void {
    // PostgreSQL overwrites deleted rows when it cleans the table.
  }

  watch(user: string, changed: (taskId?: number) => void): () => void {
    return this.#listener.watch(user, changed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#purging);
    await Promise.allSettled(this.#background);
    await this.#listener[Symbol.asyncDispose]();
    await this.#pool?.pool.end();
  }

  async #prepare(): Promise<readonly string[]> {
    const problems = await prepareDatabase(await this.#connect(), this.#options);
    this.#purging ??= everyHour(() => void this.#purge());
    return problems;
  }

  async #connect(): Promise<Pool> {
    const { url, connections } = this.#options;
    const host = await currentHost(url);
    if (this.#pool?.host !== host) {
      void this.#pool?.pool.end();
      const pool = openPool(host, connections);
      // What the own calls change is announced at once.
      pool.on('connect', (client) => this.#own.add(processOf(client)));
      pool.on('remove', (client) => this.#own.delete(processOf(client)));
      this.#pool = { host, pool };
    }
    return this.#pool.pool;
  }

  async #transact<T>(call: Call<T>): Promise<T> {
    if (this.#pool === undefined) throw closed();
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

  /** Answers the calls of a group: additions together, or one other change. */
  async #send(user: string, calls: readonly UserCall[], deadlineMs: number): Promise<readonly unknown[]> {
    const [first] = calls;
    if (first !== undefined && !isAddition(first))
      return [await this.#run({ ...first, isChange: true, deadlineMs })];
    const work = () => addTogether(user, calls.filter(isAddition));
    return this.#run({ caller: { user, actor: user }, work, isChange: true, deadlineMs });
  }

  async #run<T>(call: Call<T>): Promise<T> {
    if (this.#isClosed) throw closed();
    await before(call.deadlineMs, this.prepare(), () => new StoreUnavailable(STILL_PREPARING));
    return this.#transact(call);
  }

  #deadline(): number {
    return performance.now() + this.#waitMs;
  }
}

function isAddition(call: UserCall): call is Addition {
  return 'tasks' in call;
}

function closed(): StoreUnavailable {
  return new StoreUnavailable('The task store is closed');
}
