/** Time as delivery sees it, so that tests can turn it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs once, that many milliseconds from now, unless the answer is called before. Keeps no process alive. */
  after(milliseconds: number, run: () => void): () => void;
  /** The same for what a process must not end before. */
  within(milliseconds: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    timer.unref();
    return () => clearTimeout(timer);
  },
  within(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};
