import {
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
import type { Clock } from '@deskside/core/base';
import { UserError } from '@deskside/core/errors';
import { quoted } from '@deskside/core/text';
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

/** The output fields that repeat a range: dates, or date-times if the time is not midnight. */
export const rangeOutput = { startDate: z.string(), endDate: z.string() };

/** A range on the local clock, and how answers repeat it. */
export interface DateRange extends LocalRange {
  readonly dates: { readonly startDate: string; readonly endDate: string };
}

export function dateRange(from: WallTime, to: WallTime): DateRange {
  return { from, to, dates: { startDate: formatShort(from), endDate: formatShort(to) } };
}

/** As answers write it. */
const YEAR = /^[1-9]\d{3}-/;
const WITH_OFFSET = /^(.+[ T]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)\s?(Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)$/i;

/**
 * Reads a date or date-time: ISO 8601, or in words. A date without a time is local midnight. An offset is converted with the offsets
 * of the recorded rows: this server can run in another time zone, for example in a container.
 *
 * @param argument the argument's name, for the error message
 * @param seconds until the end of what begins then: answers and hints name the end, too
 * @throws UserError INVALID_DATE
 */
export async function readTime(
  text: string,
  argument: string,
  sources: DateSources,
  call: QueryCall,
  seconds = 0,
): Promise<WallTime> {
  const time = await timeFrom(text, sources, call);
  if (time !== undefined && [time, time + seconds].every((each) => YEAR.test(formatDate(each)))) return time;
  throw new UserError({
    code: 'INVALID_DATE',
    error: `Invalid date format in ${argument}: ${quoted(text)} is not a valid ISO 8601 date or date-time from 1000 to 9998.`,
    hint: `Pass ${argument} as 2026-11-21 or 2026-11-21T09:30:00, or in words: ${WORDS}.`,
  });
}

async function timeFrom(text: string, sources: DateSources, call: QueryCall): Promise<WallTime | undefined> {
  const words = spanOfWords(text, sources.clock);
  if (words !== undefined) return words.from;
  const trimmed = text.trim();
  const [, local, offset] = WITH_OFFSET.exec(trimmed) ?? [];
  const time = parseWallTime(local ?? trimmed);
  if (local === undefined && trimmed.endsWith('Z')) return undefined;
  if (time === undefined || offset === undefined) return time;
  const instant = time - offsetSeconds(offset);
  const recorded = await sources.records.query('localTime', { instant }, call).catch((error: unknown) => {
    // Without a readable database the call itself reports what is wrong, or needs none.
    if (!UserError.is(error)) throw error;
    return undefined;
  });
  return recorded ?? localTime(instant);
}

function offsetSeconds(offset: string): number {
  if (offset.toUpperCase() === 'Z') return 0;
  const [hours = 0, minutes = 0] = [offset.slice(1, 3), offset.slice(-2)].map(Number);
  return (offset.startsWith('-') ? -1 : 1) * (hours * HOUR + (offset.length > 3 ? minutes * MINUTE : 0));
}

/** Reads the day of a date. @throws UserError INVALID_DATE */
export async function readDay(
  text: string,
  argument: string,
  sources: DateSources,
  call: QueryCall = {},
): Promise<WallTime> {
  return startOfDay(await readTime(text, argument, sources, call, DAY));
}

/**
 * Reads a range: start inclusive, end exclusive. A word names the start of its time; if both are the same word, the range is all of it.
 *
 * @throws UserError INVALID_DATE, INVALID_RANGE or RANGE_TOO_LARGE that names the argument
 */
export async function readRange(
  { startDate, endDate }: { readonly startDate: string; readonly endDate: string },
  sources: DateSources,
  maxDays: number,
  call: QueryCall,
): Promise<DateRange> {
  const from = await readTime(startDate, 'startDate', sources, call, DAY);
  const [word, other] = [startDate, endDate].map((text) => text.trim().toLowerCase());
  const all = word === other ? spanOfWords(startDate, sources.clock) : undefined;
  const to = all?.to ?? (await readTime(endDate, 'endDate', sources, call));
  if (from >= to) {
    throw new UserError({
      code: 'INVALID_RANGE',
      error: `endDate (${formatShort(to)}) must be after startDate (${formatShort(from)}).`,
      hint: `endDate is exclusive: for one day, ${formatDate(from)}, pass endDate=${formatDate(from + DAY)}.`,
    });
  }
  if (to - from > maxDays * DAY) {
    throw new UserError({
      code: 'RANGE_TOO_LARGE',
      error: `Date range exceeds maximum of ${maxDays} days.`,
      hint: `Request at most ${maxDays} days per call, for example endDate=${formatDate(from + maxDays * DAY)}, and continue from there.`,
    });
  }
  return dateRange(from, to);
}

/** A date if the time is midnight, otherwise a date-time. */
function formatShort(time: WallTime): string {
  return time % DAY === 0 ? formatDate(time) : formatDateTime(time);
}
