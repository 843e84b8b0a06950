import { cappedToFit, clampTo, diagnosticsOf, readRangeArguments } from '@deskside/core';
import { z } from 'zod';
import { shown } from './shown.ts';
import { minutesOf } from '../time/minutes.ts';
import { DAY, formatDate, formatDateTime, HOUR, MINUTE } from '../time/wall-clock.ts';
import { computedFromActivities, whyEmpty } from '../timeline/notes.ts';
import { readUsage } from '../usage/read-usage.ts';
import { grouped, totalsOf, type UsageRow } from '../usage/usage.ts';
import { ending, limit, minutes, range } from './fields.ts';
import { SUMMARY_DAYS, WEBSITE_CAP, WEBSITE_DEFAULT } from './limits.ts';
import { defineManicTimeTool, READ_ONLY } from './manictime-tool.ts';

/** Ranges of up to so many days are broken down by the hour. */
const HOURLY_DAYS = 7;

export const getWebsiteUsage = defineManicTimeTool({
  name: 'get_website_usage',
  title: 'Website usage',
  description: `Minutes on each website in a range of at most ${SUMMARY_DAYS} days, most used first, broken down by the hour (up to ${HOURLY_DAYS} days) or by the day.`,
  hints: READ_ONLY,
  input: z.object({
    ...range,
    limit: limit(WEBSITE_DEFAULT, WEBSITE_CAP, 'websites, most used first'),
    minMinutes: z
      .number()
      .min(0)
      .default(0.5)
      .describe('Leave out websites with less than this in all; 0 includes every visit.'),
  }),
  output: z.object({
    breakdownGranularity: z.enum(['hour', 'day']),
    websites: z.array(
      z.object({
        name: z.string(),
        totalMinutes: minutes,
        timeBreakdown: z.array(z.object({ period: z.string(), minutes })),
      }),
    ),
    ...ending,
  }),

  async run(args, { database, privacy }, { signal }) {
    const asked = readRangeArguments(args.startDate, args.endDate, { mostDays: SUMMARY_DAYS });
    const grain = asked.to - asked.from <= HOURLY_DAYS * DAY ? HOUR : DAY;
    const { usage, notes } = await database.read((snapshot) => {
      const usage = readUsage(snapshot, 'websites', asked, grain, privacy);
      return {
        usage,
        notes: [
          ...(usage.lacksSums ? [computedFromActivities] : []),
          ...(usage.rows.length === 0 ? [whyEmpty(snapshot, asked)] : []),
        ],
      };
    }, signal);
    const periods = grouped(usage.rows, ({ thing }) => thing.id);
    const sites = totalsOf(usage.rows)
      .filter(({ seconds }) => seconds >= args.minMinutes * MINUTE)
      .map(({ thing, seconds }) => ({
        name: shown(thing.name),
        totalMinutes: minutesOf(seconds),
        timeBreakdown: breakdown(periods.get(thing.id) ?? [], grain === HOUR ? formatDateTime : formatDate),
      }));
    const { items, truncation } = cappedToFit(sites, clampTo(WEBSITE_CAP, WEBSITE_DEFAULT, args.limit));
    return {
      breakdownGranularity: grain === HOUR ? ('hour' as const) : ('day' as const),
      websites: [...items],
      truncation,
      diagnostics: diagnosticsOf(notes),
    };
  },
});

function breakdown(rows: readonly UsageRow[], format: (time: number) => string) {
  const sums = new Map<number, number>();
  for (const { period, seconds } of rows) sums.set(period, (sums.get(period) ?? 0) + seconds);
  return [...sums]
    .toSorted(([a], [b]) => a - b)
    .map(([period, seconds]) => ({ period: format(period), minutes: minutesOf(seconds) }));
}
