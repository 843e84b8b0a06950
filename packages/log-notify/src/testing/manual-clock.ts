import type { Clock } from '../delivery/clock.ts';

export interface ManualClock extends Clock {
  /** Moves the time, running what falls due on the way. */
  advance(milliseconds: number): void;
}

export function manualClock(start: number = Date.UTC(2026, 10, 21, 12)): ManualClock {
  let time = start;
  const timers = new Map<symbol, { readonly due: number; readonly run: () => void }>();
  const after = (milliseconds: number, run: () => void) => {
    const key = Symbol('timer');
    timers.set(key, { due: time + milliseconds, run });
    return () => void timers.delete(key);
  };
  return {
    now: () => time,
    after,
    within: after,
    advance(milliseconds) {
      const end = time + milliseconds;
      for (;;) {
        const [next] = [...timers]
          .filter(([, { due }]) => due <= end)
          .toSorted(([, a], [, b]) => a.due - b.due);
        if (next === undefined) break;
        const [key, { due, run }] = next;
        timers.delete(key);
        time = due;
        run();
      }
      time = end;
    },
  };
}
