import type { Policy } from '../config/plan.ts';
import type { Clock } from '../delivery/clock.ts';
import { createNotification, type Level, type Notification } from '../notification/notification.ts';
import type { Records } from '../delivery/sink-queue.ts';
import type { Sink } from '../sinks/sink.ts';

export function sampleNotification(
  message: string,
  level: Level = 'info',
  context = 'llm',
  time = 0,
): Notification {
  return createNotification({ level, context, message }, time);
}

/** A policy that passes everything. */
export const unlimitedPolicy: Policy = {
  level: 'info',
  contexts: [],
  excludeContexts: [],
  rate: undefined,
  foldMs: 0,
  digestMs: 0,
  quietHours: undefined,
  queueLength: 1000,
};

/** A spool that stores nothing. */
export const noRecords: Records = {
  done: () => undefined,
  lost: () => undefined,
  reported: () => undefined,
  moved: () => undefined,
};

/** A sink that stores what it gets. */
export class MemorySink implements Sink {
  readonly batchSize: number;
  readonly timeoutMs = 1000;
  readonly delivered: Notification[] = [];
  attempts = 0;
  /** Runs before each delivery; a rejection makes the delivery fail. */
  failure: (() => Promise<void>) | undefined;

  constructor(batchSize = 1000) {
    this.batchSize = batchSize;
  }

  get messages(): string[] {
    return this.delivered.map(({ message }) => message);
  }

  async deliver(batch: readonly Notification[]): Promise<void> {
    this.attempts += 1;
    await this.failure?.();
    this.delivered.push(...batch);
  }
}

export interface ManualClock extends Clock {
  /** Moves the time forward and runs the timers that are due. */
  advance(durationMs: number): void;
  /** Sets the time of day, as a time server does. Timers do not notice. */
  jump(durationMs: number): void;
  /** Removes all timers, as the end of the process does. */
  clear(): void;
}

export function manualClock(start: number = Date.UTC(2026, 10, 21, 12)): ManualClock {
  let time = start;
  let offset = 0;
  const timers = new Map<symbol, { readonly due: number; readonly run: () => void }>();
  const startTimer = (delayMs: number, run: () => void) => {
    const key = Symbol('timer');
    timers.set(key, { due: time + delayMs, run });
    return () => void timers.delete(key);
  };
  return {
    now: () => time + offset,
    monotonic: () => time - start,
    jump(durationMs) {
      offset += durationMs;
    },
    clear: () => timers.clear(),
    startTimer,
    startBlockingTimer: startTimer,
    advance(durationMs) {
      const end = time + durationMs;
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
