import { setTimeout as delay } from 'node:timers/promises';

/**
 * Does something again and again until what it leads to has happened: for a person's keys, which count only once
 * the window takes them.
 */
export async function until<T>(happened: Promise<T>, again: () => void, ms = 150): Promise<T> {
  const pending = Symbol('pending');
  for (;;) {
    again();
    const first = await Promise.race([happened, delay(ms, pending)]);
    if (first !== pending) return first;
  }
}

/** Looks again and again until something is the case. */
export async function becomes(isSo: () => boolean, what: string, ms = 40_000): Promise<void> {
  const end = performance.now() + ms;
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`still not: ${what}`);
    await delay(50);
  }
}
