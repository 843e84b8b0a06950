/** Time and timers, injected so that tests can control them. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Runs the callback once. Does not keep the process alive.
   *
   * @returns a function that cancels the timer
   */
  startTimer(delayMs: number, run: () => void): () => void;
  /** Like `startTimer`, but keeps the process alive until it runs. */
  startBlockingTimer(delayMs: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  startTimer(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
  startBlockingTimer(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};
