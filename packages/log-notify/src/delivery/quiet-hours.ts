import type { QuietHours } from '../config/plan.ts';

const MINUTES_PER_DAY = 24 * 60;

/**
 * @param now in milliseconds since the epoch
 * @returns milliseconds until quiet hours end; undefined outside them
 */
export function quietTimeLeftMs({ from, to }: QuietHours, now: number): number | undefined {
  const date = new Date(now);
  const minute = date.getHours() * 60 + date.getMinutes();
  const sinceStart = (minute - from + MINUTES_PER_DAY) % MINUTES_PER_DAY;
  const length = (to - from + MINUTES_PER_DAY) % MINUTES_PER_DAY;
  if (sinceStart >= length) return undefined;
  const end = new Date(now);
  end.setHours(0, to, 0, 0);
  // Calendar arithmetic: a day can have 23 or 25 hours.
  if (end.getTime() <= now) end.setDate(end.getDate() + 1);
  return end.getTime() - now;
}
