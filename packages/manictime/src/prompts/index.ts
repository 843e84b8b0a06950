import { type Completer, type Prompt, promptDefiner, readDate, readRangeArguments } from '@deskside/core';
import { DAY, formatDate, startOfDay } from '@deskside/core/dates';
import { UserError } from '@deskside/core/errors';
import { z } from 'zod';
import type { ManicTime } from '../manictime.ts';
import { MAX_SUMMARY_DAYS } from '../tools/schemas.ts';

/** Number of days that completion offers. */
const COMPLETION_DAYS = 60;

/** An argument that is a date or date-time. Errors are the same as those of the tools. */
function dateArgument(description: string) {
  return z
    .string()
    .describe(description)
    .superRefine((text, context) => {
      const message = errorOf(() => readDate(text, 'the argument'));
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    });
}

/** A range with the same limits as the prompt's tool. */
function rangeArguments(maxDays: number) {
  return z
    .object({
      startDate: dateArgument('First day, ISO-8601.'),
      endDate: dateArgument('The day after the last, ISO-8601.'),
    })
    .superRefine(({ startDate, endDate }, context) => {
      const message = errorOf(() => readRangeArguments(startDate, endDate, { maxDays }));
      if (message !== undefined) context.addIssue({ code: 'custom', path: ['endDate'], message });
    });
}

function errorOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (!UserError.is(error)) throw error;
    return error.sentence();
  }
}

/** The day of a date or date-time, optionally some days later. */
function dayOf(text: string, later = 0): string {
  return formatDate(startOfDay(readDate(text, 'date')) + later * DAY);
}

/** Completes a date with the last days that have data, latest first. */
const completeDate: Completer<ManicTime> = async (typed, _, { records, now }, ctx) => {
  const today = startOfDay(now());
  const { start, end } = await records
    .query('dataSpan', undefined, ctx)
    .catch(() => ({ start: undefined, end: undefined }));
  const last = Math.min(today, startOfDay(end ?? today));
  const days = Array.from({ length: COMPLETION_DAYS }, (_, index) => last - index * DAY);
  return days
    .filter((day) => start === undefined || day >= startOfDay(start))
    .map(formatDate)
    .filter((day) => day.startsWith(typed));
};

const definePrompt = promptDefiner<ManicTime>();

const dailyReview = definePrompt({
  name: 'daily_review',
  title: 'Daily review',
  description: 'Summarize my activities for a day.',
  arguments: z.object({ date: dateArgument('The day, ISO-8601.') }),
  complete: { date: completeDate },
  run: ({ date }, _, { toolName: tool }) =>
    `Summarize my activities for ${dayOf(date)}.

Use ${tool('get_activity_narrative')} with startDate=${dayOf(date)}, endDate=${dayOf(date, 1)}, and includeSummary=true to retrieve activity data with top-app/top-website aggregates. Synthesize a concise daily summary highlighting top applications, total active time, and notable patterns. Prefer resolved names/colors over internal refs. If suggestedScreenshots are present, use ${tool('get_screenshot')} + ${tool('crop_screenshot')} + ${tool('save_screenshot')} to persist the best crops to project assets.`,
});

const weeklyReview = definePrompt({
  name: 'weekly_review',
  title: 'Weekly review',
  description: 'Summarize my week.',
  arguments: rangeArguments(MAX_SUMMARY_DAYS),
  complete: { startDate: completeDate, endDate: completeDate },
  run: ({ startDate, endDate }, _, { toolName: tool }) =>
    `Summarize my week from ${startDate} to ${endDate}.

Use ${tool('get_period_summary')} with the provided date range to retrieve multi-day activity data. Synthesize a weekly overview including busiest/quietest days, top applications and websites, day-of-week patterns, and total active hours. Prefer resolved labels in the final user-facing answer. For notable days, use ${tool('get_daily_summary')} + ${tool('get_screenshot')} + ${tool('crop_screenshot')} + ${tool('save_screenshot')} for visual context.`,
});

const screenshotInvestigation = definePrompt({
  name: 'screenshot_investigation',
  title: 'Screenshot investigation',
  description: 'What was I doing at a point in time?',
  arguments: z.object({
    datetime: dateArgument('The point in time, ISO-8601, for example 2026-11-21T15:00:00.'),
  }),
  complete: { datetime: completeDate },
  run: ({ datetime }, _, { toolName: tool }) =>
    `What was I doing at ${datetime}?

Use ${tool('list_screenshots')} to find screenshots near ${datetime} (within a 5-minute window). Use ${tool('get_screenshot')} to retrieve the most relevant screenshot — you will receive a low-resolution thumbnail you can inspect. If you spot a region that needs more detail, call ${tool('crop_screenshot')} with percentage ROI coordinates to get a full-resolution crop you can analyze. Combine visual findings with ${tool('get_activity_narrative')} for the same period, then produce a user-facing explanation using resolved names rather than internal refs.`,
});

export const manictimePrompts: readonly Prompt<ManicTime>[] = [
  dailyReview,
  weeklyReview,
  screenshotInvestigation,
];
