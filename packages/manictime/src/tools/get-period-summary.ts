import { capped, diagnosticsOf, readRangeArguments } from '@deskside/core';
import { z } from 'zod';
import { shownIf } from './shown.ts';
import { minutesOf } from '../time/minutes.ts';
import { formatDate, formatDateTime, type WallTime } from '../time/wall-clock.ts';
import { type DaySummary, summarizePeriod } from '../usage/period-summary.ts';
import { topApplicationsOf, topWebsitesOf } from './answers.ts';
import { ending, minutes, range, topApplications, topWebsites } from './fields.ts';
import { SUMMARY_DAYS } from './limits.ts';
import { defineManicTimeTool, READ_ONLY } from './manictime-tool.ts';

export const getPeriodSummary = defineManicTimeTool({
  name: 'get_period_summary',
  title: 'Period summary',
  description: (tool) =>
    `Overview of several days (at most ${SUMMARY_DAYS}): active time of each day, busiest and quietest day, top applications and websites, days of the week. For one day use ${tool('get_activity_narrative')}.`,
  hints: READ_ONLY,
  input: z.object(range),
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
      avgDailyMinutes: minutes,
      busiestDay: z.string().optional(),
      quietestDay: z.string().optional(),
    }),
    patterns: z.object({
      dayOfWeekDistribution: z
        .array(z.object({ dayOfWeek: z.int(), totalMinutes: minutes }))
        .describe('dayOfWeek 0 is Sunday.'),
    }),
    ...ending,
  }),

  async run(args, { database, privacy }, { signal }) {
    const asked = readRangeArguments(args.startDate, args.endDate, { mostDays: SUMMARY_DAYS });
    const summary = await database.read((snapshot) => summarizePeriod(snapshot, asked, privacy), signal);
    const { days, daysOfWeek } = summary;
    const seconds = days.reduce((sum, day) => sum + day.seconds, 0);
    const byLength = days.toSorted((a, b) => b.seconds - a.seconds || a.day - b.day);
    return {
      days: days.map(dayAnswer),
      aggregate: {
        topApps: topApplicationsOf(summary.topApplications),
        topWebsites: topWebsitesOf(summary.topWebsites),
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
      truncation: capped(days, days.length).truncation,
      diagnostics: diagnosticsOf(summary.notes),
    };
  },
});

function dayAnswer({ day, seconds, topApplication, first, last }: DaySummary) {
  return {
    date: formatDate(day),
    totalActiveMinutes: minutesOf(seconds),
    topApp: shownIf(topApplication),
    firstActivity: timeOf(first),
    lastActivity: timeOf(last),
  };
}

function timeOf(time: WallTime | undefined): string | undefined {
  return time === undefined ? undefined : formatDateTime(time);
}

function dateOf(day: DaySummary | undefined): string | undefined {
  return day === undefined ? undefined : formatDate(day.day);
}
