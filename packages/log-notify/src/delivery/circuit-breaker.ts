import type { Clock } from '@deskside/core/base';
import { Misconfigured, RetryLater } from '../sinks/sink.ts';

/** Consecutive failures that open the breaker. */
const MAX_FAILURES = 3;
/** Pauses between the attempts before that. */
const RETRY_MS = [250, 1000] as const;
const FIRST_PAUSE_MS = 30_000;
const MAX_PAUSE_MS = 300_000;

/** After three attempts, a receiver that needs a correction is tried again this often, and at each reload. */
const CORRECTION_PAUSE_MS = 15 * 60_000;

/** Counts a sink's consecutive failures and decides when the next attempt is allowed. */
export class CircuitBreaker {
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

  get isOpen(): boolean {
    return this.#failures >= MAX_FAILURES && this.remainingMs > 0;
  }

  /** The next failure opens it, or it has opened. */
  get isLastAttempt(): boolean {
    return this.#failures >= MAX_FAILURES - 1;
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

  /**
   * @param requestedPauseMs shortest pause
   * @returns true if this failure opened the breaker
   */
  fail(requestedPauseMs = 0): boolean {
    this.#failures += 1;
    this.#pausedUntil = this.#clock.elapsedMs() + Math.max(this.#pauseMs(), requestedPauseMs);
    return this.#failures === MAX_FAILURES;
  }

  #pauseMs(): number {
    const pauses = this.#failures - MAX_FAILURES;
    if (pauses < 0) return RETRY_MS[this.#failures - 1] ?? FIRST_PAUSE_MS;
    return Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(pauses, 10));
  }
}

/** How long a receiver asks for a pause after this error, in milliseconds. */
export function requestedPauseMs(error: unknown, isLastAttempt: boolean): number {
  if (error instanceof Misconfigured) return isLastAttempt ? CORRECTION_PAUSE_MS : 0;
  return error instanceof RetryLater ? Math.min(error.delayMs, MAX_PAUSE_MS) : 0;
}
