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

const TIMESTAMP = /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?)?Z?$/;

/**
 * Reads `yyyy-MM-dd` with or without a time.
 *
 * @returns undefined if the text has another form or the date does not exist
 */
export function parseWallTime(text: string): WallTime | undefined {
  const match = TIMESTAMP.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .map((digits) => Number(digits ?? 0));
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  return daysSinceEpoch(year, month, day) * DAY + hour * HOUR + minute * MINUTE + second;
}

/** `yyyy-MM-dd` */
export function formatDate(time: WallTime): string {
  return iso(time).slice(0, 10);
}

/** `yyyy-MM-ddTHH:mm:ss` */
export function formatDateTime(time: WallTime): string {
  return iso(time).slice(0, 19);
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
  return `${new Date(time.getTime() + minutes * 60_000).toISOString().slice(0, -1)}${offsetText(minutes)}`;
}

function offsetText(minutes: number): string {
  if (minutes === 0) return '+00:00';
  const [hour, minute] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? '-' : '+'}${twoDigits(hour)}:${twoDigits(minute)}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

export function startOfDay(time: WallTime): WallTime {
  return Math.floor(time / DAY) * DAY;
}

/** Returns 0 for Sunday to 6 for Saturday. 1970-01-01 was a Thursday. */
export function dayOfWeek(time: WallTime): number {
  return (((Math.floor(time / DAY) + 4) % 7) + 7) % 7;
}

function iso(time: WallTime): string {
  return new Date(time * 1000).toISOString();
}

/** Proleptic Gregorian calendar. The computation starts years in March, so that the leap day is the last day. */
export function daysSinceEpoch(year: number, month: number, day: number): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
