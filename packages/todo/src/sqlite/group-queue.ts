import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { type WaitingCall, WaitingCalls } from '../store/waiting-calls.ts';
import { isBusy, toStoreError } from './connection.ts';
import { MAX_TURN_MS } from './step-queue.ts';

const MAX_GROUP_CALLS = 32;

// Random, so that two waiting processes don't stay in step.
const MIN_PAUSE_MS = 1;
const MAX_PAUSE_MS = 15;

/** SQLite's lock has no queue: a process that takes it again at once keeps others waiting. So it pauses while others want it. */
const CONTENDED_MS = 1000;

export interface GroupQueueOptions<Connection> {
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
  readonly work: (connection: Connection) => unknown;
  readonly isBackground: boolean;
}

/**
 * Makes concurrent changes in groups, and lets the event loop run between two groups.
 *
 * A group is one transaction with one wait for the disk. Each call has a savepoint in it and fails alone; its promise
 * settles after the commit. If the commit fails, every call of the group rejects with the same error. A database that
 * another process has locked is waited for without blocking the event loop.
 */
export class GroupQueue<Connection extends { readonly client: Database.Database }> {
  readonly #options: GroupQueueOptions<Connection>;
  readonly #waiting = new WaitingCalls<Call<Connection>>();
  #closed: Error | undefined;
  #isDraining = false;
  /** When another connection last had the lock. */
  #lockedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: GroupQueueOptions<Connection>) {
    this.#options = options;
  }

  /** Rejects with StoreBusy, StoreUnavailable, the signal's reason, or the error of the work. */
  async run<T>(
    work: (connection: Connection) => T,
    { signal, isBackground = false }: CallOptions = {},
  ): Promise<T> {
    if (this.#closed !== undefined) throw this.#closed;
    const deadlineMs = performance.now() + this.#options.timeoutMs;
    const answer = this.#waiting.add({ work, isBackground }, deadlineMs, signal);
    void this.#drain();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer is the value of the work
    return (await answer) as T;
  }

  /**
   * Rejects all waiting calls, and later ones.
   *
   * @param flush try the background calls once more
   */
  close(reason: Error, flush: boolean): void {
    this.#closed ??= reason;
    const refused = this.#waiting.all.filter(({ call }) => !flush || !call.isBackground);
    for (const { leave } of refused) leave(reason);
    while (this.#waiting.all.length > 0 && this.#runGroup());
    for (const { reject } of this.#waiting.take(Infinity)) reject(reason);
  }

  async #drain(): Promise<void> {
    if (this.#isDraining) return;
    this.#isDraining = true;
    // Calls of the same turn join the group.
    await nextTurn();
    while (this.#waiting.all.length > 0) {
      const isFree = this.#runGroup() && performance.now() - this.#lockedAtMs > CONTENDED_MS;
      await (isFree ? nextTurn() : randomPause());
    }
    this.#isDraining = false;
  }

  /** @returns false if the database is locked: the calls go on waiting */
  #runGroup(): boolean {
    const { open, committed, uptime = () => performance.now() } = this.#options;
    let connection: Connection;
    try {
      connection = open();
      // A transaction that reads before it writes can't wait for the lock.
      connection.client.exec('BEGIN IMMEDIATE');
    } catch (error) {
      if (isBusy(error)) this.#lockedAtMs = performance.now();
      else for (const { reject } of this.#waiting.take(MAX_GROUP_CALLS)) reject(toStoreError(error));
      return !isBusy(error);
    }
    const started = uptime();
    const group: WaitingCall<Call<Connection>>[] = [];
    const answers: (() => void)[] = [];
    try {
      do {
        const [next] = this.#waiting.take(1);
        if (next === undefined) break;
        group.push(next);
        answers.push(runAlone(connection, next));
      } while (group.length < MAX_GROUP_CALLS && uptime() - started <= MAX_TURN_MS);
      connection.client.exec('COMMIT');
      committed?.();
      for (const answer of answers) answer();
    } catch (error) {
      rollBack(connection.client);
      for (const { reject } of group) reject(toStoreError(error));
    }
    return true;
  }
}

export async function randomPause(): Promise<void> {
  await delay(MIN_PAUSE_MS + Math.random() * (MAX_PAUSE_MS - MIN_PAUSE_MS));
}

function rollBack(client: Database.Database): void {
  try {
    if (client.inTransaction) client.exec('ROLLBACK');
  } catch {
    // The next BEGIN fails, and tries again.
  }
}

/** @returns what answers the call after the commit @throws if the whole transaction has failed */
function runAlone<Connection extends { readonly client: Database.Database }>(
  connection: Connection,
  { call, resolve, reject }: WaitingCall<Call<Connection>>,
): () => void {
  const { client } = connection;
  client.exec('SAVEPOINT one_call');
  try {
    const value = call.work(connection);
    client.exec('RELEASE one_call');
    return () => resolve(value);
  } catch (error) {
    // SQLite ends the transaction itself if the disk is full or fails.
    if (!client.inTransaction) throw error;
    client.exec('ROLLBACK TO one_call; RELEASE one_call');
    return () => reject(toStoreError(error));
  }
}
