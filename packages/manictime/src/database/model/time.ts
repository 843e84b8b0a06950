import {
  DAY,
  dayOfWeek,
  daysSinceEpoch,
  formatDateTime,
  HOUR,
  MINUTE,
  parseWallTime,
  type WallTime,
} from '@deskside/core/dates';

/** Parses a stored `yyyy-MM-dd HH:mm:ss`. Avoids regular expressions: a range has thousands of these. */
export function parseStoredTime(text: unknown): WallTime | undefined {
  if (typeof text !== 'string' || text.length < 19)
    return typeof text === 'string' ? parseWallTime(text) : undefined;
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 7);
  const day = digits(text, 8, 10);
  const [hour, minute, second] = [digits(text, 11, 13), digits(text, 14, 16), digits(text, 17, 19)];
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= 31)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const seconds = daysSinceEpoch(year, month, day) * DAY + hour * HOUR + minute * MINUTE + second;
  return Number.isNaN(seconds) ? undefined : seconds;
}

function digits(text: string, from: number, to: number): number {
  let value = 0;
  for (let index = from; index < to; index += 1) {
    const digit = text.charCodeAt(index) - 48;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
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
