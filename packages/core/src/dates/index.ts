/** Dates and times on the local clock, and as arguments of tools. */

/**
 * Seconds since 1970-01-01T00:00:00 on a clock without a time zone. A local time has the same number as that clock
 * reading has in UTC, so every day is a whole multiple of `DAY`.
 */
export type WallTime = number;

/** In seconds. */
export const MINUTE = 60;
/** In seconds. */
export const HOUR = 3600;
/** In seconds. Every `WallTime` day has this length. */
export const DAY = 86_400;

const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2})(?::(\d{2})(?:[.,]\d+)?)?)?Z?$/;

/**
 * Reads `yyyy-MM-dd` with or without a time.
 *
 * @returns undefined if the text has another form or the date does not exist
 */
export function parseWallTime(text: string): WallTime | undefined {
  const [, date, time = '00:00', seconds = '00'] = TIMESTAMP.exec(text) ?? [];
  if (date === undefined) return undefined;
  const read = new Date(`${date}T${time}:${seconds}Z`);
  // It reads February 30 as a day in March, and 24:00 as the next day.
  return read.getUTCDate() === Number(date.slice(8)) ? read.getTime() / 1000 : undefined;
}

/** `yyyy-MM-dd` */
export function formatDate(time: WallTime): string {
  return formatDateTime(time).slice(0, 10);
}

/** `yyyy-MM-ddTHH:mm:ss` */
export function formatDateTime(time: WallTime): string {
  return new Date(time * 1000).toISOString().slice(0, 19);
}

/** Converts Unix time in seconds to this machine's local clock. */
export function localTime(epochSeconds: number): WallTime {
  return epochSeconds - new Date(epochSeconds * 1000).getTimezoneOffset() * 60;
}

/** `yyyy-MM-dd HH:mm:ss` on this machine's clock, for people. */
export function localDateTime(time: Date): string {
  return formatDateTime(localTime(time.getTime() / 1000)).replace('T', ' ');
}

/** `yyyy-MM-ddTHH:mm:ss.sss+01:00`: the same instant as `toISOString`, on this machine's clock. */
export function localIso(time: Date): string {
  const minutes = -time.getTimezoneOffset();
  const local = new Date(time.getTime() + minutes * 60_000).toISOString().slice(0, -1);
  const offset = new Date(Math.abs(minutes) * 60_000).toISOString().slice(11, 16);
  return `${local}${minutes < 0 ? '-' : '+'}${offset}`;
}

export function startOfDay(time: WallTime): WallTime {
  return Math.floor(time / DAY) * DAY;
}

/** Returns 0 for Sunday to 6 for Saturday. 1970-01-01 was a Thursday. */
export function dayOfWeek(time: WallTime): number {
  return (((Math.floor(time / DAY) + 4) % 7) + 7) % 7;
}
