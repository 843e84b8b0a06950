import { cappedToFit, clampTo, diagnosticsOf, readRangeArguments } from '@deskside/core';
import { z } from 'zod';
import type { ManicTime } from '../manictime.ts';
import { shown, shownIf } from './shown.ts';
import { minutesOf } from '../time/minutes.ts';
import { DAY, formatDate } from '../time/wall-clock.ts';
import { computedFromActivities, whyEmpty } from '../timeline/notes.ts';
import { readUsage } from '../usage/read-usage.ts';
import { largestFirst, type UsageRow, type UsageSubject } from '../usage/usage.ts';
import { ending, limit, minutes, range } from './fields.ts';
import { RANGE_DAYS, USAGE_CAP, USAGE_DEFAULT } from './limits.ts';

/** What the tools for daily usage take and answer: one row a day and thing. */
export const usageInput = z.object({
  ...range,
  limit: limit(USAGE_DEFAULT, USAGE_CAP, 'rows, by day, most used first'),
});

export const usageOutput = z.object({
  startDate: z.string(),
  endDate: z.string(),
  count: z.int(),
  usage: z.array(
    z.object({
      day: z.string(),
      name: z.string(),
      color: z.string().optional(),
      key: z.string().optional(),
      totalMinutes: minutes,
    }),
  ),
  ...ending,
});

export async function dailyUsage(
  subject: UsageSubject,
  args: z.output<typeof usageInput>,
  { database, privacy }: ManicTime,
  signal: AbortSignal,
) {
  const asked = readRangeArguments(args.startDate, args.endDate, { mostDays: RANGE_DAYS });
  const limit = clampTo(USAGE_CAP, USAGE_DEFAULT, args.limit);
  const { rows, notes } = await database.read((snapshot) => {
    const usage = readUsage(snapshot, subject, asked, DAY, privacy);
    return {
      rows: addedUp(usage.rows),
      notes: [
        ...(usage.lacksSums ? [computedFromActivities] : []),
        ...(usage.rows.length === 0 ? [whyEmpty(snapshot, asked)] : []),
      ],
    };
  }, signal);
  const { items, truncation } = cappedToFit(rows.map(answered), limit);
  return {
    startDate: asked.startDate,
    endDate: asked.endDate,
    count: items.length,
    usage: [...items],
    truncation,
    diagnostics: diagnosticsOf(notes),
  };
}

/** Kept sums come by the hour. */
function addedUp(rows: readonly UsageRow[]): UsageRow[] {
  const sums = new Map<string, { -readonly [Key in keyof UsageRow]: UsageRow[Key] }>();
  for (const row of rows) {
    const id = `${row.period}/${row.thing.id}`;
    const sum = sums.get(id);
    if (sum === undefined) sums.set(id, { ...row });
    else sum.seconds += row.seconds;
  }
  return [...sums.values()].toSorted((a, b) => a.period - b.period || largestFirst(a, b));
}

function answered({ period, thing, seconds }: UsageRow) {
  return {
    day: formatDate(period),
    name: shown(thing.name),
    color: thing.color,
    key: shownIf(thing.key),
    totalMinutes: minutesOf(seconds),
  };
}
