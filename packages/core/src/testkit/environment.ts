import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scheduler } from '../base/clock.ts';

/** Its functions work without the object: `const { now } = fixedClock('…')`. */
export interface FixedClock extends Scheduler {
  readonly now: () => Date;
  readonly elapsedMs: () => number;
  /** Moves the clock by a number of milliseconds, and runs the timers that are due, each at its time. */
  readonly advance: (ms: number) => void;
  /** Like `advance`, but lets promises that depend on no I/O continue before and after each timer. */
  readonly advanceAsync: (ms: number) => Promise<void>;
  /** Sets the wall clock, as a time server does. Timers and `elapsedMs` do not notice. */
  readonly jump: (ms: number) => void;
  /** Removes all timers, as the end of the process does. */
  readonly clear: () => void;
}

/**
 * A clock that only `advance` moves.
 *
 * @param at an ISO 8601 date-time
 * @throws RangeError if it is not one
 */
export function fixedClock(at: string): FixedClock {
  let wallMs = Date.parse(at);
  if (Number.isNaN(wallMs)) throw new RangeError(`"${at}" is not a date-time.`);
  let elapsedMs = 0;
  const timers = new Set<{ readonly dueMs: number; readonly run: () => void }>();
  const moveTo = (ms: number) => {
    wallMs += ms - elapsedMs;
    elapsedMs = ms;
  };
  /** Moves to the next timer and runs it, or moves to the end. @returns false at the end */
  const stepTo = (endMs: number): boolean => {
    const [next] = [...timers].filter(({ dueMs }) => dueMs <= endMs).toSorted((a, b) => a.dueMs - b.dueMs);
    moveTo(next?.dueMs ?? endMs);
    if (next === undefined) return false;
    timers.delete(next);
    next.run();
    return true;
  };
  return {
    now: () => new Date(wallMs),
    elapsedMs: () => elapsedMs,
    after(delayMs, run) {
      const timer = { dueMs: elapsedMs + Math.max(0, delayMs), run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(ms) {
      const endMs = elapsedMs + ms;
      let isMoving = true;
      while (isMoving) isMoving = stepTo(endMs);
    },
    async advanceAsync(ms) {
      const endMs = elapsedMs + ms;
      await settled();
      while (stepTo(endMs)) await settled();
    },
    jump: (ms) => void (wallMs += ms),
    clear: () => timers.clear(),
  };
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export interface TemporaryFolder extends Disposable {
  readonly path: string;
}

/**
 * Creates an empty folder. `using folder = temporaryFolder()` deletes it at the end of the block, also if a browser
 * still writes to it.
 */
export function temporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'deskside-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 10 }) };
}
