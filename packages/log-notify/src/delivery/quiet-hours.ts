const MINUTES_PER_DAY = 24 * 60;

/** A part of every day, in minutes after local midnight; it may span midnight. */
export interface QuietHours {
  readonly from: number;
  readonly to: number;
}

/** @returns milliseconds until they end; undefined outside them */
export function quietFor({ from, to }: QuietHours, now: number): number | undefined {
  const date = new Date(now);
  const minute = date.getHours() * 60 + date.getMinutes();
  const sinceStart = (minute - from + MINUTES_PER_DAY) % MINUTES_PER_DAY;
  const length = (to - from + MINUTES_PER_DAY) % MINUTES_PER_DAY;
  if (sinceStart >= length) return undefined;
  const end = new Date(now);
  end.setHours(0, to, 0, 0);
  // By the calendar, not by adding a day's milliseconds: some days have 23 or 25 hours.
  if (end.getTime() <= now) end.setDate(end.getDate() + 1);
  return end.getTime() - now;
}
