import {
  type DateRange,
  DAY,
  formatDate,
  formatDateTime,
  localTime,
  readDate,
  readRangeArguments,
  startOfDay,
  type WallTime,
} from '@deskside/core/dates';
import type { Clock } from '@deskside/core/base';
import { UserError } from '@deskside/core/errors';
import * as z from 'zod';
import type { ManicTime } from '../manictime.ts';
import type { QueryCall } from '../queries/query-queue.ts';

export const rangeFields = {
  startDate: z
    .string()
    .describe('Inclusive: 2026-11-21 (00:00), 2026-11-21T09:30:00, today, yesterday, -7d.'),
  endDate: z.string().describe('Exclusive: also tomorrow, now.'),
};

/** A map: in an object `constructor` and `__proto__` would be found, too. */
const DAYS_FROM_TODAY: ReadonlyMap<string, number> = new Map([
  ['today', 0],
  ['yesterday', -1],
  ['tomorrow', 1],
]);

/** What dates are read with. */
type DateSources = Pick<ManicTime, 'clock' | 'records'>;

/** Local time of this machine. */
export function localTimeOf(clock: Clock): WallTime {
  return localTime(Math.floor(clock.now().getTime() / 1000));
}

/** ISO 8601 for a date in words; undefined for other texts. */
function isoOfWords(text: string, { clock }: DateSources): string | undefined {
  const word = text.trim().toLowerCase();
  const time = localTimeOf(clock);
  if (word === 'now') return formatDateTime(time);
  const days = DAYS_FROM_TODAY.get(word) ?? /^([+-]\d{1,4})d$/.exec(word)?.[1];
  return days === undefined ? undefined : formatDate(startOfDay(time) + Number(days) * DAY);
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
  const iso = isoOfWords(text, sources) ?? text;
  let instant: number | undefined;
  readDate(iso, argument, (found) => {
    instant = found;
    return found;
  });
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
 * Reads a range, also in words.
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
  return readRangeArguments(start, await inLocalIso(endDate, 'endDate', sources, call), { maxDays });
}
