import {
  type DateRange,
  endDate,
  readDate,
  readRangeArguments,
  type RangeRules,
  startDate,
  toolDefiner,
} from '@deskside/core';
import {
  DAY,
  dayOfWeek,
  daysSinceEpoch,
  formatDate,
  formatDateTime,
  HOUR,
  localTime,
  MINUTE,
  parseWallTime,
  startOfDay,
  type WallTime,
} from '@deskside/core/dates';
import { z } from 'zod';

const rules: RangeRules = { maxDays: 31 };

/** Workdays of a range, Monday to Friday. */
function workdays({ from, to }: DateRange): string[] {
  const days: string[] = [];
  for (let day: WallTime = startOfDay(from); day < to; day += DAY) {
    if (dayOfWeek(day) % 6 !== 0) days.push(formatDate(day));
  }
  return days;
}

/** 17:00 on a day; with or without a time, with or without an offset. */
export function closingTime(text: string): string {
  return formatDateTime(startOfDay(readDate(text, 'day')) + 17 * HOUR);
}

/** Minutes since a local time, for example 2026-11-21T09:30. Undefined if the text has another form. */
export function minutesSince(text: string, now: Date): number | undefined {
  const time = parseWallTime(text);
  return time === undefined ? undefined : Math.floor((localTime(now.getTime() / 1000) - time) / MINUTE);
}

/** Days of a year. */
export const daysOf = (year: number): number => daysSinceEpoch(year + 1, 1, 1) - daysSinceEpoch(year, 1, 1);

export const listWorkdays = toolDefiner<null>()({
  name: 'list_workdays',
  title: 'List workdays',
  description: 'Returns the workdays of a range.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.object({ startDate, endDate }),
  output: z.object({ startDate: z.string(), endDate: z.string(), days: z.array(z.string()) }),
  run(args) {
    const range = readRangeArguments(args.startDate, args.endDate, rules);
    return { startDate: range.startDate, endDate: range.endDate, days: workdays(range) };
  },
});
