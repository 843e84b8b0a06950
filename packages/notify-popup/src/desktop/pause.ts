import type { Scheduler } from '@deskside/core/base';

export interface InputOptions extends Pick<PauseOptions, 'idleMs' | 'clock'> {
  /** How often it asks. */
  readonly intervalMs: number;
  readonly signal: AbortSignal;
}

/**
 * Waits for the next input of the person.
 *
 * @returns false if the platform does not tell, or after `signal`
 */
export async function nextInput({ idleMs: ask, intervalMs, signal, clock }: InputOptions): Promise<boolean> {
  const sinceMs = clock.elapsedMs();
  while (!signal.aborted) {
    const idle = await ask();
    if (idle === undefined || signal.aborted) return false;
    if (idle < clock.elapsedMs() - sinceMs) return true;
    await new Promise<void>((resolve) => {
      clock.after(intervalMs, resolve, { isBackground: true });
    });
  }
  return false;
}

export interface PauseOptions {
  readonly idleMs: () => Promise<number | undefined>;
  /** Without input for this time the person pauses. */
  readonly quietMs: number;
  readonly atMostMs: number;
  readonly signal?: AbortSignal;
  readonly clock: Scheduler;
}

/**
 * Waits for a pause of the person's input: at most for `atMostMs`, not after `signal`, and not at all if the platform
 * does not tell.
 */
export async function pauseOfInput({
  idleMs: ask,
  quietMs,
  atMostMs,
  signal,
  clock,
}: PauseOptions): Promise<void> {
  if (signal?.aborted === true) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  let isOver = false;
  let cancelNext: (() => void) | undefined;
  const cancelLimit = clock.after(atMostMs, resolve);
  signal?.addEventListener('abort', () => resolve(), { once: true });
  const look = async () => {
    const idle = await ask();
    if (isOver) return;
    if (idle === undefined || idle >= quietMs) resolve();
    else cancelNext = clock.after(quietMs - idle, () => void look());
  };
  void look();
  await promise;
  isOver = true;
  cancelNext?.();
  cancelLimit();
}
