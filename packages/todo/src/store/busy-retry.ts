import { setTimeout as delay } from 'node:timers/promises';
import { isBusy } from './sqlite-errors.ts';
import { StoreBusy } from './store-failures.ts';

// Milliseconds between two attempts; random, so that two waiting processes don't stay in step.
const shortestPause = 10;
const longestPause = 60;

/**
 * Repeats synchronous database work while another connection holds the lock, leaving the event loop free.
 *
 * Calls take turns: an attempt may block for SQLite's own timeout, and a crowd of them would block for the sum.
 */
export class BusyRetry {
  readonly #patience: number;
  readonly #signal: AbortSignal;
  #line: Promise<unknown> = Promise.resolve();

  /** @param patience milliseconds from the call to StoreBusy, the time in line included */
  constructor(patience: number, signal: AbortSignal = new AbortController().signal) {
    this.#patience = patience;
    this.#signal = signal;
  }

  /**
   * Runs the work until it isn't busy; work that was busy must have changed nothing.
   *
   * Rejects with StoreBusy, with the signal's reason, or with what the work throws.
   */
  run<T>(work: () => T): Promise<T> {
    const deadline = performance.now() + this.#patience;
    const turn = this.#line.then(() => this.#persist(work, deadline));
    this.#line = turn.catch(() => undefined);
    return turn;
  }

  async #persist<T>(work: () => T, deadline: number): Promise<T> {
    let cause: unknown;
    while (performance.now() < deadline) {
      this.#signal.throwIfAborted();
      try {
        return work();
      } catch (error) {
        if (!isBusy(error)) throw error;
        cause = error;
      }
      await this.#pause();
    }
    throw new StoreBusy({ cause });
  }

  async #pause(): Promise<void> {
    const milliseconds = shortestPause + Math.random() * (longestPause - shortestPause);
    try {
      await delay(milliseconds, undefined, { signal: this.#signal });
    } catch {
      this.#signal.throwIfAborted();
    }
  }
}
