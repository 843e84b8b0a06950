import type { Clock } from '../service/clock.ts';

/** A clock that a test moves. */
export interface SimulatedClock extends Clock {
  /** Lets pending promises continue, then runs each timer of this time, with a pause for promises after each. */
  advance(ms: number): Promise<void>;
}

interface Timer {
  readonly at: number;
  readonly work: () => void;
}

const START = Date.parse('2026-03-01T10:00:00Z');

export function simulatedClock(): SimulatedClock {
  let now = 0;
  const timers = new Set<Timer>();
  return {
    now: () => now,
    date: () => new Date(START + now),
    after(ms, work) {
      const timer = { at: now + Math.max(0, ms), work };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    async advance(ms) {
      const end = now + ms;
      await settle();
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers.delete(next);
        now = next.at;
        next.work();
        await settle();
      }
      now = end;
    },
  };
}

/** Promises that depend on no I/O have continued after it. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
