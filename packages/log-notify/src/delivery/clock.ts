/** Time and timers, injected so that tests can control them. */
export interface Clock {
  /** Milliseconds since the epoch. It jumps when the machine's time is set: use it for dates only. */
  now(): number;
  /** Milliseconds since an arbitrary moment. Never goes back: use it for durations. */
  monotonic(): number;
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
  monotonic: () => performance.now(),
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

/** Formats a duration for people: `60 s`, `15 min`, `9 h`. */
export function durationText(durationMs: number): string {
  const seconds = Math.max(1, Math.round(durationMs / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
