import type { Clock } from '@deskside/core/base';
import { Misconfigured, RetryLater } from '../sinks/sink.ts';

/** Consecutive failures after which the pauses are long. */
const MAX_FAILURES = 3;
/** Pauses between the attempts before that. */
const RETRY_MS = [250, 1000] as const;
const FIRST_PAUSE_MS = 30_000;
const MAX_PAUSE_MS = 300_000;

/** After three attempts, a receiver that needs a correction is tried again this often, and at each reload. */
const CORRECTION_PAUSE_MS = 15 * 60_000;

/** Counts a sink's consecutive failures and decides when the next attempt is allowed. */
export class BackOff {
  readonly #clock: Clock;
  #failures = 0;
  #pausedUntil = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The last attempt succeeded, or none was made. */
  get isHealthy(): boolean {
    return this.#failures === 0;
  }

  /** It has failed repeatedly and waits. */
  get isPaused(): boolean {
    return this.#failures >= MAX_FAILURES && this.remainingMs > 0;
  }

  /** Time until the next attempt is allowed. */
  get remainingMs(): number {
    return Math.max(0, this.#pausedUntil - this.#clock.elapsedMs());
  }

  /** Ends the present pause, not the count of failures. */
  allowAttempt(): void {
    this.#pausedUntil = 0;
  }

  succeed(): void {
    this.#failures = 0;
    this.#pausedUntil = 0;
  }

  /** @returns true if this is the failure with which the long pauses begin */
  fail(error: unknown): boolean {
    this.#failures += 1;
    this.#pausedUntil = this.#clock.elapsedMs() + Math.max(this.#pauseMs(), this.#requestedMs(error));
    return this.#failures === MAX_FAILURES;
  }

  #pauseMs(): number {
    const pauses = this.#failures - MAX_FAILURES;
    if (pauses < 0) return RETRY_MS[this.#failures - 1] ?? FIRST_PAUSE_MS;
    return Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(pauses, 10));
  }

  #requestedMs(error: unknown): number {
    if (error instanceof Misconfigured) return this.#failures >= MAX_FAILURES ? CORRECTION_PAUSE_MS : 0;
    return error instanceof RetryLater ? Math.min(error.delayMs, MAX_PAUSE_MS) : 0;
  }
}
