import {
  DAY,
  dayOfWeek,
  formatDateTime,
  HOUR,
  localTime,
  MINUTE,
  startOfDay,
  type WallTime,
} from '@deskside/core/dates';
import { type DateRange, readDate, readRangeArguments } from '../analysis/date-range.ts';
import type { Clock } from '@deskside/core/base';
import { UserError } from '@deskside/core/errors';
import * as z from 'zod';
import type { LocalRange } from '../database/model/activity.ts';
import { mondayOf, WEEKDAYS } from '../database/model/time.ts';
import type { ManicTime } from '../manictime.ts';
import type { QueryCall } from '../queries/records.ts';

export const rangeFields = {
  startDate: z.string().describe('Inclusive: 2026-11-21T09:30, today, -7d, -1h, monday.'),
  endDate: z.string().describe('Exclusive: also now.'),
};

const DAYS_FROM_TODAY: ReadonlyMap<string, number> = new Map([
  ['today', 0],
  ['yesterday', -1],
  ['tomorrow', 1],
]);
const WORDS = 'today, yesterday, -7d, -1h, now, monday, this week or last month';

/** What dates are read with. */
type DateSources = Pick<ManicTime, 'clock' | 'records'>;

/** Local time of this machine. */
export function localTimeOf(clock: Clock): WallTime {
  return localTime(Math.floor(clock.now().getTime() / 1000));
}

/** What a date in words names; undefined for other texts. */
function spanOfWords(text: string, clock: Clock): LocalRange | undefined {
  const word = text.trim().toLowerCase();
  const time = localTimeOf(clock);
  const today = startOfDay(time);
  const [, ago, unit] = /^-(\d{1,4})(h|min)$/.exec(word) ?? [];
  if (ago !== undefined || word === 'now') {
    const moment = time - Number(ago ?? 0) * (unit === 'h' ? HOUR : MINUTE);
    return { from: moment, to: moment };
  }
  const [, which, period] = /^(this|last) (week|month|year)$/.exec(word) ?? [];
  if (period !== undefined) return periodOf(today, period, which === 'last' ? -1 : 0);
  const weekday = WEEKDAYS.findIndex((name) => name.toLowerCase() === word);
  const days =
    weekday === -1
      ? (DAYS_FROM_TODAY.get(word) ?? /^([+-]\d{1,4})d$/.exec(word)?.[1])
      : -((dayOfWeek(today) - weekday + 7) % 7);
  if (days === undefined) return undefined;
  const from = today + Number(days) * DAY;
  return { from, to: from + DAY };
}

/** The week from Monday, month or year of a day, or one of those before or after it. */
function periodOf(day: WallTime, period: string, shift: number): LocalRange {
  if (period === 'week') {
    const from = mondayOf(day) + shift * 7 * DAY;
    return { from, to: from + 7 * DAY };
  }
  const date = new Date(day * 1000);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const start = (steps: number) =>
    (period === 'month' ? Date.UTC(year, month + steps) : Date.UTC(year + steps, 0)) / 1000;
  return { from: start(shift), to: start(shift + 1) };
}

/** The days of the week of a day, from Monday, without those after today. */
export function weekOf(day: WallTime, clock: Clock): LocalRange {
  const from = mondayOf(day);
  const today = startOfDay(localTimeOf(clock));
  return { from, to: Math.max(day + DAY, Math.min(from + 7 * DAY, today + DAY)) };
}

/**
 * Local time in ISO 8601 for a date in words or a date-time with an offset; other texts unchanged. An offset is converted
 * with the offsets of the recorded rows: this server can run in another time zone, for example in a container.
 *
 * @throws UserError INVALID_DATE
 */
export async function inLocalIso(
  text: string,
  argument: string,
  sources: DateSources,
  call: QueryCall,
): Promise<string> {
  const words = spanOfWords(text, sources.clock);
  if (words !== undefined) return formatDateTime(words.from);
  const iso = text;
  let instant: number | undefined;
  try {
    readDate(iso, argument, (found) => {
      instant = found;
      return found;
    });
  } catch (error) {
    if (!UserError.is(error) || !('code' in error.failure)) throw error;
    throw new UserError({
      ...error.failure,
      hint: `Pass ${argument} as 2026-11-21 or 2026-11-21T09:30:00, or in words: ${WORDS}.`,
    });
  }
  if (instant === undefined) return iso;
  const local = await sources.records.query('localTime', { instant }, call).catch((error: unknown) => {
    // Without a readable database the call itself reports what is wrong, or needs none.
    if (!UserError.is(error)) throw error;
    return undefined;
  });
  return formatDateTime(local ?? localTime(instant));
}

/**
 * Reads a date, or a date in words.
 *
 * @throws UserError INVALID_DATE
 */
export async function readDay(
  text: string,
  argument: string,
  sources: DateSources,
  call: QueryCall = {},
): Promise<WallTime> {
  const iso = await inLocalIso(text, argument, sources, call);
  return startOfDay(readDate(iso, argument));
}

/**
 * Reads a range, also in words. A word names the start of its time; if both are the same word, the range is all of it.
 *
 * @throws UserError INVALID_DATE, INVALID_RANGE or RANGE_TOO_LARGE
 */
export async function readRange(
  { startDate, endDate }: { readonly startDate: string; readonly endDate: string },
  sources: DateSources,
  maxDays: number,
  call: QueryCall,
): Promise<DateRange> {
  const start = await inLocalIso(startDate, 'startDate', sources, call);
  const all = startDate.trim() === endDate.trim() ? spanOfWords(startDate, sources.clock) : undefined;
  if (all !== undefined) return readRangeArguments(start, formatDateTime(all.to), { maxDays });
  return readRangeArguments(start, await inLocalIso(endDate, 'endDate', sources, call), { maxDays });
}
