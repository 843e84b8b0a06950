import { resolve } from 'node:path';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { sqlTaskStore } from '../store/sql-task-store.ts';
import { finish, type Rows } from '../store/statements.ts';
import { storeClosed, type TaskStore } from '../store/task-store.ts';
import { everyHour, purge } from '../store/upkeep.ts';
import {
  type Caller,
  type ChangeCall,
  type Driver,
  MAX_GROUP_CALLS,
  NOBODY,
  together,
  type WaitingCall,
  WaitingCalls,
  type Work,
} from '../store/waiting-calls.ts';
import { Connection, isBusy, toStoreError } from './connection.ts';

const DEFAULT_BUSY_TIMEOUT_MS = 5000;

/** After it the event loop runs. */
const MAX_TURN_MS = 5;

// Random, so that two waiting processes don't stay in step.
const MIN_PAUSE_MS = 1;
const MAX_PAUSE_MS = 15;

/** SQLite's lock has no queue: a process that takes it again at once keeps others waiting. So it pauses while others want it. */
const CONTENDED_MS = 1000;

/** An event loop that runs tries more often. */
const STALE_MS = 100;

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

/**
 * Runs reads and changes in the order in which they began to wait, and lets the event loop run between two turns.
 *
 * All changes that wait when one has its turn are a group: one transaction with one wait for the disk. Each has a savepoint in it and
 * fails alone; its promise settles after the commit. If the commit fails, every change of the group rejects with the same error. A
 * database that another process has locked is waited for without blocking the event loop; reads go on.
 */
class SqliteDriver implements Driver {
  readonly #file: string;
  readonly #now: () => Date;
  readonly #timeoutMs: number;
  /** A call whose time passed while the event loop stood still was not tried since. */
  readonly #changes = new WaitingCalls(() => {
    if (performance.now() - this.#lockedAtMs > STALE_MS) this.#runGroup();
  });
  /** Begins when all turns before it have had their part of the event loop. */
  #lastTurn: Promise<void> = Promise.resolve();
  #turnEndMs = 0;
  #isChanging = false;
  /** When another connection last had the lock. */
  #lockedAtMs = Number.NEGATIVE_INFINITY;
  #connection: Connection | undefined;
  #cleaning: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor({ file, busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS }: SqliteTaskStoreOptions, now: () => Date) {
    this.#file = file === ':memory:' ? file : resolve(file);
    this.#now = now;
    this.#timeoutMs = busyTimeoutMs;
  }

  prepare(): Promise<readonly string[]> {
    return this.read(NOBODY, () => finish());
  }

  /** Others have their turn between the steps of a long read. Rejects as `change`. */
  async read<T>({ signal }: Caller, work: Work<T>): Promise<T> {
    const deadlineMs = performance.now() + this.#timeoutMs;
    for (;;) {
      const operation = work();
      let answers: readonly Rows[] = [];
      try {
        for (;;) {
          await this.#turn('read');
          const endMs = performance.now() + MAX_TURN_MS;
          if (this.#isClosed) throw storeClosed();
          signal?.throwIfAborted();
          const connection = this.#open();
          do {
            const step = operation.next(answers);
            if (step.done === true) return step.value;
            answers = connection.answer(step.value);
          } while (performance.now() < endMs);
        }
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadlineMs) throw toStoreError(error);
        await randomPause();
      }
    }
  }

  /** Rejects with StoreBusy, StoreUnavailable, the signal's reason, or the error of the work. */
  change<T>(call: ChangeCall<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(storeClosed());
    const answer = this.#changes.add(call, performance.now() + this.#timeoutMs);
    void this.#runChanges();
    return answer;
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
    this.#isClosed = true;
    for (const waiting of this.#changes.all.toReversed()) waiting.leave(storeClosed());
    clearInterval(this.#cleaning);
    this.#connection?.guard.close();
  }

  /** Reads share a part of the event loop, which is slow under load. Changes of one part are a group. */
  #turn(kind: 'read' | 'change'): Promise<void> {
    const take = async (before: Promise<void>) => {
      await before;
      if (kind === 'read' && performance.now() < this.#turnEndMs) return;
      await nextTurn();
      this.#turnEndMs = performance.now() + MAX_TURN_MS;
    };
    return (this.#lastTurn = take(this.#lastTurn));
  }

  /** If the database is locked, the changes go on waiting. */
  async #runChanges(): Promise<void> {
    if (this.#isChanging) return;
    this.#isChanging = true;
    do {
      await this.#turn('change');
      if (this.#changes.all.length > 0) this.#runGroup();
      if (performance.now() - this.#lockedAtMs <= CONTENDED_MS) await randomPause();
    } while (this.#changes.all.length > 0);
    this.#isChanging = false;
  }

  #runGroup(): void {
    let connection: Connection;
    try {
      connection = this.#open();
      // A transaction that reads before it writes can't wait for the lock.
      connection.client.exec('BEGIN IMMEDIATE');
    } catch (error) {
      if (isBusy(error)) this.#lockedAtMs = performance.now();
      else for (const { reject } of this.#changes.take()) reject(toStoreError(error));
      return;
    }
    const { client, guard } = connection;
    const started = performance.now();
    const group: WaitingCall[] = [];
    const answers: (() => void)[] = [];
    try {
      while (this.#changes.all.length > 0 && group.length < MAX_GROUP_CALLS) {
        const taken = this.#changes.take();
        group.push(...taken);
        answers.push(...runAlone(connection, taken));
        if (performance.now() - started > MAX_TURN_MS) break;
      }
      client.exec('COMMIT');
    } catch (error) {
      rollBack(connection);
      for (const { reject } of group) reject(toStoreError(error));
      return;
    }
    for (const answer of answers) answer();
    try {
      guard.check();
    } catch {
      // The changes are made, and the next turn looks again.
    }
  }

  async #cleanUp(): Promise<void> {
    try {
      if (await this.change({ caller: NOBODY, work: () => purge(this.#now()) })) this.forgotten();
    } catch {
      // If another process holds the lock, the next hour tries again.
    }
  }

  /** SQLite's busy errors mean: later again. Any other error fails the calls. */
  #open(): Connection {
    if (this.#connection === undefined) {
      this.#connection = new Connection(this.#file);
      this.#cleaning = everyHour(() => void this.#cleanUp());
    } else this.#connection.guard.check();
    return this.#connection;
  }
}

async function randomPause(): Promise<void> {
  await delay(MIN_PAUSE_MS + Math.random() * (MAX_PAUSE_MS - MIN_PAUSE_MS));
}

function rollBack({ client }: Connection): void {
  try {
    if (client.inTransaction) client.exec('ROLLBACK');
  } catch {
    // The next BEGIN fails, and tries again.
  }
}

/**
 * @param calls that are made together. If they fail, each is tried alone.
 * @returns what answers the calls after the commit
 * @throws if the whole transaction has failed
 */
function runAlone(connection: Connection, calls: readonly WaitingCall[]): readonly (() => void)[] {
  const { client } = connection;
  client.exec('SAVEPOINT one_call');
  try {
    const values = connection.run(() => together(calls.map(({ call }) => call)));
    client.exec('RELEASE one_call');
    return calls.map(({ resolve }, index) => resolve.bind(undefined, values[index]));
  } catch (error) {
    // SQLite ends the transaction itself if the disk is full or fails.
    if (!client.inTransaction) throw error;
    client.exec('ROLLBACK TO one_call; RELEASE one_call');
    if (calls.length > 1) return calls.flatMap((call) => runAlone(connection, [call]));
    return calls.map(({ reject }) => reject.bind(undefined, toStoreError(error)));
  }
}
