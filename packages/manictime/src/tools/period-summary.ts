import { capped } from '@deskside/core';
import { formatDate } from '@deskside/core/dates';
import * as z from 'zod';
import type { QueryResult } from '../queries/catalog.ts';
import { minutesOf, timeText } from '../database/model/time.ts';
import { rangeFields, readRange } from './dates.ts';
import { safeText } from '../database/model/text.ts';
import { defineManicTimeTool } from './define-tool.ts';
import {
  answerMetadata,
  metadataOf,
  MAX_SUMMARY_DAYS,
  MAX_TOP_ITEMS,
  minutes,
  omitted,
  omittedOf,
  topApplications,
  topApplicationsOf,
  topWebsites,
  topWebsitesOf,
} from './schemas.ts';

type DaySummary = QueryResult<'periodSummary'>['days'][number];

export const getPeriodSummary = defineManicTimeTool({
  name: 'get_period_summary',
  title: 'Period summary',
  description: `Summarizes up to ${MAX_SUMMARY_DAYS} days: active time of each, busiest and quietest day, top applications and websites, totals per weekday.`,
  input: z.object(rangeFields),
  output: z.object({
    days: z.array(
      z.object({
        date: z.string(),
        totalActiveMinutes: minutes,
        topApp: z.string().optional(),
        firstActivity: z.string().optional(),
        lastActivity: z.string().optional(),
      }),
    ),
    aggregate: z.object({
      topApps: topApplications,
      topWebsites,
      ...omitted,
      avgDailyMinutes: minutes,
      busiestDay: z.string().optional(),
      quietestDay: z.string().optional(),
    }),
    patterns: z.object({
      dayOfWeekDistribution: z
        .array(z.object({ dayOfWeek: z.int(), totalMinutes: minutes }))
        .describe('dayOfWeek: 0 is Sunday.'),
    }),
    ...answerMetadata,
  }),

  async run(args, { records, privacy, clock }, ctx) {
    const range = await readRange(args, { records, clock }, MAX_SUMMARY_DAYS, ctx);
    const summary = await records.query('periodSummary', { range }, ctx);
    const { days, daysOfWeek } = summary;
    const seconds = days.reduce((sum, day) => sum + day.seconds, 0);
    const left = omittedOf(
      summary.topApplications.length - MAX_TOP_ITEMS,
      summary.topWebsites.length - MAX_TOP_ITEMS,
    );
    const byLength = days.toSorted((a, b) => b.seconds - a.seconds || a.day - b.day);
    return {
      days: days.map(dayResponse),
      aggregate: {
        topApps: topApplicationsOf(summary.topApplications),
        topWebsites: topWebsitesOf(summary.topWebsites),
        ...left,
        avgDailyMinutes: days.length === 0 ? 0 : minutesOf(Math.round(seconds / days.length)),
        busiestDay: dateOf(byLength[0]),
        quietestDay: dateOf(byLength.at(-1)),
      },
      patterns: {
        dayOfWeekDistribution: daysOfWeek.map(({ dayOfWeek, seconds }) => ({
          dayOfWeek,
          totalMinutes: minutesOf(seconds),
        })),
      },
      ...metadataOf({ privacy }, summary, {
        ...capped(days, days.length).truncation,
        truncated: Object.keys(left).length > 0,
      }),
    };
  },
});

function dayResponse({ day, seconds, topApplication, first, last }: DaySummary) {
  return {
    date: formatDate(day),
    totalActiveMinutes: minutesOf(seconds),
    topApp: safeText(topApplication),
    firstActivity: timeText(first),
    lastActivity: timeText(last),
  };
}

function dateOf(day: DaySummary | undefined): string | undefined {
  return day === undefined ? undefined : formatDate(day.day);
}
