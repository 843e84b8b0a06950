import { setTimeout as delay } from 'node:timers/promises';
import { isBusy } from './failures.ts';

/** Milliseconds for which a call waits for a lock; SQLite itself would block the whole process meanwhile. */
const PATIENCE_MS = 3000;
const SHORTEST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 100;

/**
 * Repeats synchronous database work while another program holds the lock, leaving the event loop free.
 *
 * Rejects with the last busy error, with the signal's reason, or with what the work throws.
 */
export async function retryWhileBusy<T>(
  work: () => T,
  signal?: AbortSignal,
  patience: number = PATIENCE_MS,
): Promise<T> {
  const deadline = performance.now() + patience;
  for (;;) {
    signal?.throwIfAborted();
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
    }
    const pause = SHORTEST_PAUSE_MS + Math.random() * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS);
    await delay(pause, undefined, signal === undefined ? {} : { signal });
  }
}
