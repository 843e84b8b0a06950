/** Time, so that tests can play it. */
export interface Clock {
  /** Milliseconds of a clock that only moves forward. */
  now(): number;
  date(): Date;
  /** Calls back after this time. @returns a function that cancels it */
  after(ms: number, work: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
  after(ms, work) {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};
