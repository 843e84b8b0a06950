import { DAY, daysSinceEpoch, HOUR, MINUTE, parseWallTime, type WallTime } from '@deskside/core/dates';

export {
  DAY,
  dayOfWeek,
  formatDate,
  formatDateTime,
  HOUR,
  localTime,
  MINUTE,
  parseWallTime,
  startOfDay,
  type WallTime,
} from '@deskside/core/dates';

/** Reads a database's own `yyyy-MM-dd HH:mm:ss`, of which there are many: no regular expression. */
export function parseStoredTime(text: unknown): WallTime | undefined {
  if (typeof text !== 'string' || text.length < 19)
    return typeof text === 'string' ? parseWallTime(text) : undefined;
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 7);
  const day = digits(text, 8, 10);
  const time = digits(text, 11, 13) * HOUR + digits(text, 14, 16) * MINUTE + digits(text, 17, 19);
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= 31)) return undefined;
  const seconds = daysSinceEpoch(year, month, day) * DAY + time;
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
