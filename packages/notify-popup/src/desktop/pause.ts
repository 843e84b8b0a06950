import type { Scheduler } from '@deskside/core/base';

/** Without input for this time the person pauses. */
const PAUSE_MS = 1500;
const LONGEST_PAUSE_WAIT_MS = 10_000;
const LOOK_INTERVAL_MS = 2000;

export interface InputOptions {
  /** How long the person has not used the computer; undefined if the platform does not tell. */
  readonly idleMs: () => Promise<number | undefined>;
  readonly signal: AbortSignal;
  readonly clock: Scheduler;
}

/**
 * Waits for the next input of the person.
 *
 * @returns false if the platform does not tell, or after `signal`
 */
export async function nextInput({ idleMs: ask, signal, clock }: InputOptions): Promise<boolean> {
  const sinceMs = clock.elapsedMs();
  while (!signal.aborted) {
    const idle = await ask();
    if (idle === undefined || signal.aborted) return false;
    if (idle < clock.elapsedMs() - sinceMs) return true;
    await new Promise<void>((resolve) => {
      clock.after(LOOK_INTERVAL_MS, resolve, { isBackground: true });
    });
  }
  return false;
}

/**
 * Waits for a pause of the person's input: at most for ten seconds, not after `signal`, and not at all if the platform does
 * not tell.
 *
 * @returns false if ten seconds brought no pause
 */
export async function pauseOfInput({ idleMs: ask, signal, clock }: InputOptions): Promise<boolean> {
  if (signal.aborted) return true;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let isOver = false;
  let cancelNext: (() => void) | undefined;
  const cancelLimit = clock.after(LONGEST_PAUSE_WAIT_MS, () => resolve(false));
  signal.addEventListener('abort', () => resolve(true), { once: true });
  const look = async () => {
    const idle = await ask();
    if (isOver) return;
    if (idle === undefined || idle >= PAUSE_MS) resolve(true);
    else cancelNext = clock.after(PAUSE_MS - idle, () => void look());
  };
  void look();
  const hasPaused = await promise;
  isOver = true;
  cancelNext?.();
  cancelLimit();
  return hasPaused;
}

/** False if the person has used the computer a moment ago. True if the platform does not tell. */
export async function isPause({ idleMs: ask }: InputOptions): Promise<boolean> {
  return ((await ask()) ?? PAUSE_MS) >= PAUSE_MS;
}
