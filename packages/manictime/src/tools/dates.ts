import { type DateRange, readDate, readRangeArguments } from '@deskside/core';
import { DAY, formatDate, formatDateTime, startOfDay, type WallTime } from '@deskside/core/dates';
import { z } from 'zod';

export const rangeFields = {
  startDate: z
    .string()
    .describe('Inclusive: 2026-11-21 (00:00), 2026-11-21T09:30:00, today, yesterday, -7d.'),
  endDate: z.string().describe('Exclusive: also tomorrow, now.'),
};

const DAYS_FROM_TODAY: Readonly<Record<string, number>> = { today: 0, yesterday: -1, tomorrow: 1 };

/** ISO 8601 for a date in words; other texts unchanged. */
function inIso(text: string, now: WallTime): string {
  const word = text.trim().toLowerCase();
  if (word === 'now') return formatDateTime(now);
  const days = DAYS_FROM_TODAY[word] ?? /^([+-]\d{1,4})d$/.exec(word)?.[1];
  return days === undefined ? text : formatDate(startOfDay(now) + Number(days) * DAY);
}

/**
 * Reads a date, or a date in words.
 *
 * @throws UserError INVALID_DATE
 */
export function readDay(text: string, argument: string, now: WallTime): WallTime {
  return readDate(inIso(text, now), argument);
}

/**
 * Reads a range, also in words.
 *
 * @throws UserError INVALID_DATE, INVALID_RANGE or RANGE_TOO_LARGE
 */
export function readRange(
  { startDate, endDate }: { readonly startDate: string; readonly endDate: string },
  now: WallTime,
  maxDays: number,
): DateRange {
  return readRangeArguments(inIso(startDate, now), inIso(endDate, now), { maxDays });
}
