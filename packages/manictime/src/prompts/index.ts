import { type Completer, type Prompt, promptDefiner } from '@deskside/core';
import { DAY, formatDate, formatDateTime, startOfDay } from '@deskside/core/dates';
import * as z from 'zod';
import type { ManicTime } from '../manictime.ts';
import { localTimeOf, readDay, readRange, readTime } from '../tools/dates.ts';
import { MAX_SUMMARY_DAYS } from '../tools/schemas.ts';

/** Number of days that completion offers. */
const COMPLETION_DAYS = 60;

function dateArgument(description: string) {
  return z.string().describe(`${description}, for example 2026-11-21, today, yesterday or -7d.`);
}

/** Completes a date with words and the last days that have data, latest first. */
const completeDate: Completer<ManicTime> = async (typed, _, { records, clock }, ctx) => {
  const today = startOfDay(localTimeOf(clock));
  const { start, end } = await records
    .query('dataSpan', undefined, ctx)
    .catch(() => ({ start: undefined, end: undefined }));
  const last = Math.min(today, startOfDay(end ?? today));
  const days = Array.from({ length: COMPLETION_DAYS }, (_, index) => last - index * DAY);
  const known = days.filter((day) => start === undefined || day >= startOfDay(start));
  return ['today', 'yesterday', ...known.map(formatDate)].filter((day) => day.startsWith(typed));
};

const definePrompt = promptDefiner<ManicTime>();

const dailyReview = definePrompt({
  name: 'daily_review',
  title: 'Daily review',
  description: 'Summarize my activities for a day.',
  arguments: z.object({ date: dateArgument('The day') }),
  complete: { date: completeDate },
  async run({ date }, manictime, ctx) {
    const { toolName: tool } = ctx;
    const day = await readDay(date, 'date', manictime, ctx);
    return `Summarize my activities for ${formatDate(day)}.

Use ${tool('get_activity_narrative')} with startDate=${formatDate(day)}, endDate=${formatDate(day + DAY)}, and includeSummary=true to retrieve activity data with top-app/top-website aggregates. Synthesize a concise daily summary highlighting top applications, total active time, and notable patterns. Prefer resolved names/colors over internal refs. If suggestedScreenshots are present, use ${tool('get_screenshot')} + ${tool('crop_screenshot')} + ${tool('save_screenshot')} to persist the best crops to project assets.`;
  },
});

const weeklyReview = definePrompt({
  name: 'weekly_review',
  title: 'Weekly review',
  description: 'Summarize my week.',
  arguments: z.object({
    startDate: dateArgument('First day'),
    endDate: dateArgument('The day after the last'),
  }),
  complete: { startDate: completeDate, endDate: completeDate },
  async run(args, manictime, ctx) {
    const { toolName: tool } = ctx;
    const { dates } = await readRange(args, manictime, MAX_SUMMARY_DAYS, ctx);
    return `Summarize my week from ${dates.startDate} to ${dates.endDate}.

Use ${tool('get_period_summary')} with the provided date range to retrieve multi-day activity data. Synthesize a weekly overview including busiest/quietest days, top applications and websites, day-of-week patterns, and total active hours. Prefer resolved labels in the final user-facing answer. For notable days, use ${tool('get_daily_summary')} + ${tool('get_screenshot')} + ${tool('crop_screenshot')} + ${tool('save_screenshot')} for visual context.`;
  },
});

const screenshotInvestigation = definePrompt({
  name: 'screenshot_investigation',
  title: 'Screenshot investigation',
  description: 'What was I doing at a point in time?',
  arguments: z.object({
    datetime: z.string().describe('The point in time, for example 2026-11-21T15:00:00 or now.'),
  }),
  complete: { datetime: completeDate },
  async run(args, manictime, ctx) {
    const { toolName: tool } = ctx;
    const datetime = formatDateTime(await readTime(args.datetime, 'datetime', manictime, ctx));
    return `What was I doing at ${datetime}?

Use ${tool('list_screenshots')} to find screenshots near ${datetime} (within a 5-minute window). Use ${tool('get_screenshot')} to retrieve the most relevant screenshot — you will receive a low-resolution thumbnail you can inspect. If you spot a region that needs more detail, call ${tool('crop_screenshot')} with percentage ROI coordinates to get a full-resolution crop you can analyze. Combine visual findings with ${tool('get_activity_narrative')} for the same period, then produce a user-facing explanation using resolved names rather than internal refs.`;
  },
});

export const manictimePrompts: readonly Prompt<ManicTime>[] = [
  dailyReview,
  weeklyReview,
  screenshotInvestigation,
];
