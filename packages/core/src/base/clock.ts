/** Time, injected so that tests control it. */
export interface Clock {
  /** The wall clock. It jumps when the time of the machine is set: use it for dates only. */
  now(): Date;
  /** Milliseconds since an arbitrary moment, with fractions. Never goes back: use it for durations. */
  elapsedMs(): number;
}

export interface TimerOptions {
  /** Let the process end before the timer runs. Default false. */
  readonly isBackground?: boolean;
}

/** A clock that also calls back. */
export interface Scheduler extends Clock {
  /**
   * Calls back once.
   *
   * @param delayMs in milliseconds, at most 2^31 - 1
   * @returns a function that cancels the call
   */
  after(delayMs: number, run: () => void, options?: TimerOptions): () => void;
}

export const systemClock: Scheduler = {
  now: () => new Date(),
  elapsedMs() {
    // oxlint-disable-next-line eslint/no-restricted-globals -- the first use of `performance` costs 2 ms of a cold start
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1e3 + nanoseconds / 1e6;
  },
  after(delayMs, run, { isBackground = false } = {}) {
    const timer = setTimeout(run, delayMs);
    if (isBackground) timer.unref();
    return () => clearTimeout(timer);
  },
};
