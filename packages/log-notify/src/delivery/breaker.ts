import type { Clock } from './clock.ts';

/** Failures in a row after which a sink is left alone for a while. */
const PATIENCE = 3;
/** Milliseconds between tries before that, and of the first and the longest rest after it. */
const RETRY_MS = [250, 1000] as const;
const FIRST_REST_MS = 30_000;
const LONGEST_REST_MS = 300_000;

/** Counts a sink's failures: says whether it may be tried, and when again. */
export class Breaker {
  readonly #clock: Clock;
  #failures = 0;
  #restsUntil = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The last try worked, or there was none. */
  get isHealthy(): boolean {
    return this.#failures === 0;
  }

  get isOpen(): boolean {
    return this.#failures >= PATIENCE && this.remaining > 0;
  }

  /** Milliseconds until it may be tried again. */
  get remaining(): number {
    return Math.max(0, this.#restsUntil - this.#clock.now());
  }

  succeed(): void {
    this.#failures = 0;
    this.#restsUntil = 0;
  }

  /**
   * @param asked milliseconds for which the sink itself asked to be left alone
   * @returns true when this failure was the one that opened it
   */
  fail(asked = 0): boolean {
    this.#failures += 1;
    this.#restsUntil = this.#clock.now() + Math.max(this.#pause(), Math.min(asked, LONGEST_REST_MS));
    return this.#failures === PATIENCE;
  }

  #pause(): number {
    const rests = this.#failures - PATIENCE;
    if (rests < 0) return RETRY_MS[this.#failures - 1] ?? FIRST_REST_MS;
    return Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** Math.min(rests, 10));
  }
}
