import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import type { Flight, Operation, Rows } from '../store/statements.ts';
import {
  type Caller,
  type ChangeCall,
  MAX_GROUP_CALLS,
  together,
  type WaitingCall,
  WaitingCalls,
  type Work,
} from '../store/waiting-calls.ts';
import { isBusy, toStoreError } from './connection.ts';

/** After it the event loop runs. */
const MAX_TURN_MS = 5;

// Random, so that two waiting processes don't stay in step.
const MIN_PAUSE_MS = 1;
const MAX_PAUSE_MS = 15;

/** SQLite's lock has no queue: a process that takes it again at once keeps others waiting. So it pauses while others want it. */
const CONTENDED_MS = 1000;

/** An event loop that runs tries more often. */
const STALE_MS = 100;

/** An open database. */
interface Connection {
  readonly client: Database.Database;
  answer(flight: Flight): readonly Rows[];
  /** Runs an operation to its end. */
  run<T>(work: Work<T>): T;
}

interface TurnsOptions {
  /** Runs before each turn. SQLite's busy errors mean: later again. Any other error fails the calls. */
  readonly open: () => Connection;
  /** How long a call waits for another connection's lock before it rejects with StoreBusy. */
  readonly timeoutMs: number;
  /** Runs after each group. */
  readonly committed: () => void;
}

/** A read that waits for its next step. */
interface Reading {
  /** On the clock `performance.now()`. */
  readonly sinceMs: number;
  /** @returns whether it was the last step */
  readonly step: () => boolean;
}

/**
 * Runs reads and changes in the order in which they began to wait, and lets the event loop run between two turns.
 *
 * All changes that wait when one has its turn are a group: one transaction with one wait for the disk. Each has a savepoint in it and
 * fails alone; its promise settles after the commit. If the commit fails, every change of the group rejects with the same error. A
 * database that another process has locked is waited for without blocking the event loop; reads go on.
 */
export class Turns {
  readonly #options: TurnsOptions;
  /** A call whose time passed while the event loop stood still was not tried since. */
  readonly #changes = new WaitingCalls(() => {
    if (performance.now() - this.#lockedAtMs > STALE_MS) this.#runGroup();
  });
  readonly #reads: Reading[] = [];
  #closed: Error | undefined;
  #isRunning = false;
  /** Another connection has the lock, or wants it. */
  #isPaused = false;
  /** When another connection last had the lock. */
  #lockedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** Others have their turn between the steps of a long read. Rejects as `change`. */
  read<T>({ signal }: Caller, work: Work<T>): Promise<T> {
    const deadlineMs = performance.now() + this.#options.timeoutMs;
    let operation: Operation<T>;
    let answers: readonly Rows[];
    return new Promise((resolve, reject) => {
      const step = () => {
        const endMs = performance.now() + MAX_TURN_MS;
        try {
          if (this.#closed !== undefined) throw this.#closed;
          signal?.throwIfAborted();
          const connection = this.#options.open();
          do {
            const next = operation.next(answers);
            if (next.done === true) resolve(next.value);
            if (next.done === true) return true;
            answers = connection.answer(next.value);
          } while (performance.now() < endMs);
          return false;
        } catch (error) {
          if (!isBusy(error) || performance.now() >= deadlineMs) reject(toStoreError(error));
          else void randomPause().then(again);
          return true;
        }
      };
      const again = () => {
        operation = work();
        answers = [];
        this.#reads.push({ sinceMs: performance.now(), step });
        return this.#run();
      };
      void again();
    });
  }

  /** Rejects with StoreBusy, StoreUnavailable, the signal's reason, or the error of the work. */
  change(call: ChangeCall): Promise<unknown> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    const answer = this.#changes.add(call, performance.now() + this.#options.timeoutMs);
    void this.#run();
    return answer;
  }

  /** Rejects all waiting changes, and later ones. */
  close(reason: Error): void {
    this.#closed ??= reason;
    for (const waiting of this.#changes.all.toReversed()) waiting.leave(reason);
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    // Calls of the same turn of the event loop join the group.
    await nextTurn();
    while (this.#reads.length > 0 || this.#isChangeNext()) {
      const endMs = performance.now() + MAX_TURN_MS;
      while (!this.#isChangeNext() && this.#reads.length > 0 && performance.now() <= endMs) this.#readStep();
      if (this.#isChangeNext()) this.#runGroup();
      await nextTurn();
    }
    this.#isRunning = false;
  }

  /** Whether a change has waited longest. */
  #isChangeNext(): boolean {
    const [change] = this.#isPaused ? [] : this.#changes.all;
    return change !== undefined && change.sinceMs <= (this.#reads[0]?.sinceMs ?? Infinity);
  }

  #readStep(): void {
    const reading = this.#reads.shift();
    if (reading?.step() === false) this.#reads.push({ ...reading, sinceMs: performance.now() });
  }

  /** If the database is locked, the changes go on waiting. */
  #runGroup(): void {
    const { open, committed } = this.#options;
    let connection: Connection;
    try {
      connection = open();
      // A transaction that reads before it writes can't wait for the lock.
      connection.client.exec('BEGIN IMMEDIATE');
    } catch (error) {
      if (isBusy(error)) this.#lockedAtMs = performance.now();
      else for (const { reject } of this.#changes.take()) reject(toStoreError(error));
      this.#pauseIfContended();
      return;
    }
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
      connection.client.exec('COMMIT');
    } catch (error) {
      rollBack(connection.client);
      for (const { reject } of group) reject(toStoreError(error));
      this.#pauseIfContended();
      return;
    }
    for (const answer of answers) answer();
    try {
      committed();
    } catch {
      // The changes are made, and the next turn opens again.
    }
    this.#pauseIfContended();
  }

  #pauseIfContended(): void {
    if (this.#isPaused || performance.now() - this.#lockedAtMs > CONTENDED_MS) return;
    this.#isPaused = true;
    void randomPause().then(() => {
      this.#isPaused = false;
      return this.#run();
    });
  }
}

async function randomPause(): Promise<void> {
  await delay(MIN_PAUSE_MS + Math.random() * (MAX_PAUSE_MS - MIN_PAUSE_MS));
}

function rollBack(client: Database.Database): void {
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
    return calls.map(
      ({ resolve }, index) =>
        () =>
          resolve(values[index]),
    );
  } catch (error) {
    // SQLite ends the transaction itself if the disk is full or fails.
    if (!client.inTransaction) throw error;
    client.exec('ROLLBACK TO one_call; RELEASE one_call');
    if (calls.length > 1) return calls.flatMap((call) => runAlone(connection, [call]));
    return calls.map(
      ({ reject }) =>
        () =>
          reject(toStoreError(error)),
    );
  }
}
