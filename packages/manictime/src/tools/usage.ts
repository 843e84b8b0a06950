import { cappedToFit, clampTo, diagnosticsOf, readRangeArguments } from '@deskside/core';
import { DAY, formatDate, formatDateTime, HOUR, MINUTE } from '@deskside/core/dates';
import type { DiagnosticNote } from '@deskside/core/errors';
import { z } from 'zod';
import {
  largestFirst,
  type LoadedRange,
  loadUsage,
  readUsage,
  totalsOf,
  type Usage,
  type UsageRow,
  type UsageSubject,
} from '../analysis/usage.ts';
import { emptyAnswerNote } from '../analysis/range.ts';
import type { Snapshot } from '../database/snapshot.ts';
import type { ManicTime } from '../manictime.ts';
import type { LocalRange } from '../model/activity.ts';
import { aggregatesUsed, computedFromActivities, notYetAttributable } from '../model/notes.ts';
import { minutesOf } from '../model/time.ts';
import { defineManicTimeTool, READ_ONLY, safeText } from './define-tool.ts';
import {
  DEFAULT_USAGE_ROWS,
  DEFAULT_WEBSITES,
  hidden,
  hiddenOf,
  limit,
  MAX_RANGE_DAYS,
  MAX_SUMMARY_DAYS,
  MAX_USAGE_ROWS,
  MAX_WEBSITES,
  minutes,
  rangeFields,
  resultMetadata,
} from './schemas.ts';

/** Arguments of the tools for daily usage. Their answers have one row per day and item. */
const usageInput = z.object({
  ...rangeFields,
  limit: limit(DEFAULT_USAGE_ROWS, MAX_USAGE_ROWS, 'rows, ordered by day, then most used first'),
});

const usageOutput = z.object({
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
  hidden,
  ...resultMetadata,
});

async function dailyUsage(
  subject: UsageSubject,
  args: z.output<typeof usageInput>,
  { database, privacy }: ManicTime,
  signal: AbortSignal,
) {
  const range = readRangeArguments(args.startDate, args.endDate, { maxDays: MAX_RANGE_DAYS });
  const limit = clampTo(MAX_USAGE_ROWS, DEFAULT_USAGE_ROWS, args.limit);
  const { rows, notes, concealed } = await database.read((snapshot) => {
    const loaded = loadUsage(snapshot, subject, range, privacy);
    const usage = readUsage(snapshot, subject, range, DAY, privacy, loaded);
    return {
      rows: addedUp(usage.rows),
      notes: usageNotes(snapshot, subject, range, usage, loaded),
      concealed: loaded.rows.concealed.length,
    };
  }, signal);
  const { items, truncation } = cappedToFit(rows.map(usageResponse), limit);
  return {
    startDate: range.startDate,
    endDate: range.endDate,
    count: items.length,
    usage: [...items],
    hidden: hiddenOf(privacy, concealed),
    truncation,
    diagnostics: diagnosticsOf(notes),
  };
}

function usageNotes(
  snapshot: Snapshot,
  subject: UsageSubject,
  range: LocalRange,
  usage: Usage,
  { rows, pieces }: LoadedRange,
): DiagnosticNote[] {
  const isEmpty = usage.rows.length === 0;
  return [
    ...(usage.expiredDays.length > 0 ? [aggregatesUsed(usage.expiredDays)] : []),
    ...(usage.sumsMissing ? [computedFromActivities] : []),
    ...(rows.unattributed.length > 0 ? [notYetAttributable] : []),
    ...(isEmpty ? [pieces.length > 0 ? noneOf(subject) : emptyAnswerNote(snapshot, range, rows)] : []),
  ];
}

function noneOf(subject: UsageSubject): DiagnosticNote {
  return {
    degraded: false,
    reasonCode: 'NoDataInRange',
    remediationHint: `Applications were used in this range, but ManicTime tracked no ${subject} in them.`,
  };
}

/** ManicTime's own totals can be hourly. */
function addedUp(rows: readonly UsageRow[]): UsageRow[] {
  const sums = new Map<string, { -readonly [Key in keyof UsageRow]: UsageRow[Key] }>();
  for (const row of rows) {
    const id = `${row.period}/${row.item.id}`;
    const sum = sums.get(id);
    if (sum === undefined) sums.set(id, { ...row });
    else sum.seconds += row.seconds;
  }
  return [...sums.values()].toSorted((a, b) => a.period - b.period || largestFirst(a, b));
}

function usageResponse({ period, item, seconds }: UsageRow) {
  return {
    day: formatDate(period),
    name: safeText(item.name),
    color: item.color,
    key: safeText(item.key),
    totalMinutes: minutesOf(seconds),
  };
}

export const getApplicationUsage = defineManicTimeTool({
  name: 'get_application_usage',
  title: 'Application usage',
  description: 'Returns the minutes per application and day of a range, with the color of each application.',
  annotations: READ_ONLY,
  input: usageInput,
  output: usageOutput,
  run: (args, manictime, { signal }) => dailyUsage('applications', args, manictime, signal),
});

export const getDocumentUsage = defineManicTimeTool({
  name: 'get_document_usage',
  title: 'Document usage',
  description: (tool) =>
    `Returns the minutes per file and day of a range. For websites use ${tool('get_website_usage')}.`,
  annotations: READ_ONLY,
  input: usageInput,
  output: usageOutput,
  run: (args, manictime, { signal }) => dailyUsage('documents', args, manictime, signal),
});

/** Longer ranges are broken down by day instead of by hour. */
const MAX_HOURLY_DAYS = 7;

export const getWebsiteUsage = defineManicTimeTool({
  name: 'get_website_usage',
  title: 'Website usage',
  description: `Returns the minutes per website in a range of at most ${MAX_SUMMARY_DAYS} days, most used first, with a breakdown by hour (up to ${MAX_HOURLY_DAYS} days) or by day.`,
  annotations: READ_ONLY,
  input: z.object({
    ...rangeFields,
    limit: limit(DEFAULT_WEBSITES, MAX_WEBSITES, 'websites, most used first'),
    minMinutes: z
      .number()
      .min(0)
      .default(0.5)
      .describe('Omit websites with fewer total minutes. 0 includes every visit.'),
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
    hidden,
    ...resultMetadata,
  }),

  async run(args, { database, privacy }, { signal }) {
    const range = readRangeArguments(args.startDate, args.endDate, { maxDays: MAX_SUMMARY_DAYS });
    const grain = range.to - range.from <= MAX_HOURLY_DAYS * DAY ? HOUR : DAY;
    const { usage, notes, concealed } = await database.read((snapshot) => {
      const loaded = loadUsage(snapshot, 'websites', range, privacy);
      const usage = readUsage(snapshot, 'websites', range, grain, privacy, loaded);
      return {
        usage,
        notes: usageNotes(snapshot, 'websites', range, usage, loaded),
        concealed: loaded.rows.concealed.length,
      };
    }, signal);
    const periods = Map.groupBy(usage.rows, ({ item }) => item.id);
    const sites = totalsOf(usage.rows)
      .filter(({ seconds }) => seconds >= args.minMinutes * MINUTE)
      .map(({ item, seconds }) => ({
        name: safeText(item.name),
        totalMinutes: minutesOf(seconds),
        timeBreakdown: breakdown(periods.get(item.id) ?? [], grain === HOUR ? formatDateTime : formatDate),
      }));
    const { items, truncation } = cappedToFit(sites, clampTo(MAX_WEBSITES, DEFAULT_WEBSITES, args.limit));
    return {
      breakdownGranularity: grain === HOUR ? ('hour' as const) : ('day' as const),
      websites: [...items],
      hidden: hiddenOf(privacy, concealed),
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
