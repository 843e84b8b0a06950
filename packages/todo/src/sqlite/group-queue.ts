import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { isBusy, toStoreError } from './connection.ts';

const MAX_GROUP_CALLS = 32;
const MAX_GROUP_MS = 5;
/** Each answer costs about as much as the work of its call. */
const ANSWERS_PER_TURN = 4;

// Random pauses, so that two waiting processes don't stay in step.
const MIN_PAUSE_MS = 1;
const MAX_PAUSE_MS = 15;

/** SQLite's lock has no queue: a process that takes it again at once keeps others waiting. So it pauses while others want it. */
const CONTENDED_MS = 1000;

/** A group of writes takes the write lock first: a transaction that reads before it writes can't wait for it. */
const BEGIN = {
  write: 'BEGIN IMMEDIATE',
  // The snapshot of a read begins with its first statement.
  read: 'BEGIN; SELECT count(*) FROM sqlite_schema',
};

export interface GroupQueueOptions<Connection> {
  readonly kind: keyof typeof BEGIN;
  /** Runs before each group. SQLite's busy errors mean: later again. Any other error fails the group. */
  readonly open: () => Connection;
  /** How long a call waits for another connection's lock before it rejects with StoreBusy. */
  readonly timeoutMs: number;
  /** Runs after each group. */
  readonly committed?: () => void;
  /** Milliseconds of a monotonic clock, for the length of a group. Default `performance.now`. */
  readonly uptime?: (() => number) | undefined;
}

export interface CallOptions {
  /** Rejects the call with the signal's reason, until its work starts. */
  readonly signal?: AbortSignal | undefined;
  /** A call without a waiting caller: closing the queue tries it once more. */
  readonly isBackground?: boolean;
}

interface Call<Connection> {
  readonly isBackground: boolean;
  readonly deadline: number;
  isSettled: boolean;
  /** Runs a step of the work. @returns whether it was the last one: then its value is remembered */
  readonly run: (connection: Connection) => boolean;
  /** Remembers that the work failed alone. */
  readonly failAlone: (error: unknown) => void;
  readonly settle: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs synchronous database work in groups of concurrent calls, and lets the event loop run between two groups. Work in steps
 * that is not done when the time of its group is over goes on in a later one, after the others that wait.
 *
 * A group is one transaction with one wait for the disk. Each call has a savepoint in it and fails alone; its promise
 * settles after the commit, a few in each turn. If the commit fails, every call of the group rejects with the same
 * error. Work that finds the database locked waits without blocking the event loop.
 */
export class GroupQueue<Connection extends { readonly client: Database.Database }> {
  readonly #options: GroupQueueOptions<Connection>;
  #waiting: Call<Connection>[] = [];
  #closed: Error | undefined;
  #isDraining = false;
  /** When another connection last had the lock. */
  #lockedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: GroupQueueOptions<Connection>) {
    this.#options = options;
  }

  /** Rejects with StoreBusy, StoreUnavailable, the signal's reason, or the error of the work. */
  run<T>(work: (connection: Connection) => T, options: CallOptions = {}): Promise<T> {
    return this.runSteps((connection) => oneStep(() => work(connection)), options);
  }

  /** As `run`, for work that can pause between two steps. */
  runSteps<T>(
    work: (connection: Connection) => Generator<void, T>,
    { signal, isBackground = false }: CallOptions = {},
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#closed !== undefined) throw this.#closed;
      signal?.throwIfAborted();
      let finish: () => void;
      let steps: Generator<void, T> | undefined;
      const cancel = () => call.reject(signal?.reason);
      const call: Call<Connection> = {
        isBackground,
        deadline: performance.now() + this.#options.timeoutMs,
        isSettled: false,
        run(connection) {
          signal?.removeEventListener('abort', cancel);
          steps ??= work(connection);
          const step = steps.next();
          if (step.done === true) finish = () => resolve(step.value);
          return step.done === true;
        },
        failAlone(error) {
          finish = () => reject(toStoreError(error));
        },
        settle() {
          call.isSettled = true;
          finish();
        },
        reject(error) {
          if (call.isSettled) return;
          call.isSettled = true;
          signal?.removeEventListener('abort', cancel);
          reject(toStoreError(error));
        },
      };
      signal?.addEventListener('abort', cancel, { once: true });
      this.#waiting.push(call);
      void this.#drain();
    });
  }

  /**
   * Rejects all waiting calls, and later ones.
   *
   * @param flush try the background calls once more
   */
  close(reason: Error, flush: boolean): void {
    this.#closed ??= reason;
    for (const call of this.#waiting) if (!call.isBackground || !flush) call.reject(reason);
    while (this.#removeSettled() > 0) {
      const calls = this.#runGroup();
      if (calls === undefined) break;
      for (const call of calls) call.settle();
    }
    for (const call of this.#waiting.splice(0)) call.reject(reason);
  }

  async #drain(): Promise<void> {
    if (this.#isDraining) return;
    this.#isDraining = true;
    // Calls of the same turn join the group.
    await nextTurn();
    while (this.#removeSettled() > 0) {
      const calls = this.#runGroup();
      for (const [index, call] of calls?.entries() ?? []) {
        call.settle();
        if ((index + 1) % ANSWERS_PER_TURN === 0) await nextTurn();
      }
      if (calls !== undefined && performance.now() - this.#lockedAtMs > CONTENDED_MS) await nextTurn();
      else await delay(MIN_PAUSE_MS + Math.random() * (MAX_PAUSE_MS - MIN_PAUSE_MS));
    }
    this.#isDraining = false;
  }

  /** @returns the calls of the group, which are to be settled; undefined if none has started */
  #runGroup(): readonly Call<Connection>[] | undefined {
    const connection = this.#begin();
    if (connection === undefined) return undefined;
    const { client } = connection;
    const { uptime = () => performance.now() } = this.#options;
    const started = uptime();
    const isOver = () => uptime() - started > MAX_GROUP_MS;
    const calls: Call<Connection>[] = [];
    const unfinished: Call<Connection>[] = [];
    try {
      for (const call of this.#waiting.slice(0, MAX_GROUP_CALLS)) {
        if (calls.length > 0 && isOver()) break;
        calls.push(call);
        if (!runAlone(connection, call, isOver)) unfinished.push(call);
      }
      client.exec('COMMIT');
      this.#options.committed?.();
      this.#waiting.splice(0, calls.length);
      this.#waiting.push(...unfinished);
      return calls.filter((call) => !unfinished.includes(call));
    } catch (error) {
      rollBack(client);
      for (const call of calls) call.reject(error);
      return [];
    }
  }

  /** @returns undefined if no group can start now: the database is locked, or the calls of the group have failed */
  #begin(): Connection | undefined {
    const { open, kind } = this.#options;
    try {
      const connection = open();
      try {
        connection.client.exec(BEGIN[kind]);
        return connection;
      } catch (error) {
        rollBack(connection.client);
        throw error;
      }
    } catch (error) {
      const atMs = performance.now();
      if (isBusy(error)) this.#lockedAtMs = atMs;
      const failed = isBusy(error)
        ? this.#waiting.filter(({ deadline }) => deadline <= atMs)
        : this.#waiting.slice(0, MAX_GROUP_CALLS);
      for (const call of failed) call.reject(error);
      return undefined;
    }
  }

  /** @returns how many calls wait */
  #removeSettled(): number {
    this.#waiting = this.#waiting.filter(({ isSettled }) => !isSettled);
    return this.#waiting.length;
  }
}

// oxlint-disable-next-line require-yield -- it is done with its first step
function* oneStep<T>(work: () => T): Generator<void, T> {
  return work();
}

function rollBack(client: Database.Database): void {
  try {
    if (client.inTransaction) client.exec('ROLLBACK');
  } catch {
    // The next BEGIN fails, and tries again.
  }
}

/** @returns whether the call is done @throws if the whole transaction has failed */
function runAlone<Connection extends { readonly client: Database.Database }>(
  connection: Connection,
  call: Call<Connection>,
  isOver: () => boolean,
): boolean {
  const { client } = connection;
  client.exec('SAVEPOINT one_call');
  let isDone = true;
  try {
    do isDone = call.run(connection);
    while (!isDone && !isOver());
  } catch (error) {
    // SQLite ends the transaction itself if the disk is full or fails.
    if (!client.inTransaction) throw error;
    client.exec('ROLLBACK TO one_call');
    call.failAlone(error);
    isDone = true;
  }
  client.exec('RELEASE one_call');
  return isDone;
}
