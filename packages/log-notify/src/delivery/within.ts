import type { Scheduler } from '@deskside/core/base';

/** Waits for the work, but no longer than this. The timer of the background keeps no process alive. */
export async function within(
  clock: Scheduler,
  limitMs: number,
  work: Promise<unknown>,
  isBackground = false,
): Promise<void> {
  const late = Promise.withResolvers<void>();
  const cancel = clock.after(limitMs, late.resolve, { isBackground });
  await Promise.race([work, late.promise]);
  cancel();
}
