import type { QuietHours } from '../sinks/define-sink.ts';

const MINUTES_PER_DAY = 24 * 60;

/** @returns milliseconds until quiet hours end; undefined outside them */
export function quietTimeLeftMs({ from, to }: QuietHours, now: Date): number | undefined {
  const minute = now.getHours() * 60 + now.getMinutes();
  const sinceStart = (minute - from + MINUTES_PER_DAY) % MINUTES_PER_DAY;
  const length = (to - from + MINUTES_PER_DAY) % MINUTES_PER_DAY;
  if (sinceStart >= length) return undefined;
  const end = new Date(now);
  end.setHours(0, to, 0, 0);
  // Calendar arithmetic: a day can have 23 or 25 hours.
  if (end <= now) end.setDate(end.getDate() + 1);
  return end.getTime() - now.getTime();
}
