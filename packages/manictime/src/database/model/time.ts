import { DAY, dayOfWeek, formatDateTime, parseWallTime, type WallTime } from '@deskside/core/dates';

/** Parses a stored `yyyy-MM-dd HH:mm:ss`. Each value can be of each type. */
export function parseStoredTime(value: unknown): WallTime | undefined {
  return typeof value === 'string' ? parseWallTime(value.replace(/Z$/, '')) : undefined;
}

export const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** The start of the week of a day. */
export function mondayOf(day: WallTime): WallTime {
  return day - ((dayOfWeek(day) + 6) % 7) * DAY;
}

export function timeText(time: WallTime | undefined): string | undefined {
  return time === undefined ? undefined : formatDateTime(time);
}

/** Minutes with one decimal; halves round to the even tenth. Time is rounded here and nowhere else. */
export function minutesOf(seconds: number): number {
  const tenths = Math.floor(seconds / 6);
  const rest = seconds - tenths * 6;
  const up = rest > 3 || (rest === 3 && tenths % 2 !== 0);
  return (tenths + (up ? 1 : 0)) / 10;
}

/** `2 h 05 min`, `40 s` */
export function durationText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  const rest = String(minutes % 60).padStart(2, '0');
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${rest} min`;
}
