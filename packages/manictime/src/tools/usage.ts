import { capped } from '@deskside/core';
import { DAY, formatDate, formatDateTime, MINUTE } from '@deskside/core/dates';
import * as z from 'zod';
import { byLength, type UsageSubject } from '../analysis/group.ts';
import type { UsageRow } from '../analysis/usage.ts';
import { explained } from '../database/model/notes.ts';
import { minutesOf } from '../database/model/time.ts';
import { rangeFields, rangeOutput, readRange } from './dates.ts';
import { safeText } from '../database/model/text.ts';
import { defineManicTimeTool } from './define-tool.ts';
import {
  answerMetadata,
  CAPS,
  clamped,
  fitted,
  limit,
  MAX_RANGE_DAYS,
  MAX_SUMMARY_DAYS,
  metadataOf,
  minutes,
  nextStartDate,
} from './schemas.ts';

/** Hours are answered for ranges up to this length; longer website ranges are broken down by day. */
const MAX_HOURLY_DAYS = 7;

const allShort = explained('NoMatch', 'All websites of this range were used for less time than minMinutes.');

const usageOutput = z.object({
  ...rangeOutput,
  totalMinutes: minutes.describe('Of all rows, listed or not.'),
  count: z.int(),
  usage: z.array(
    z.object({
      day: z.string(),
      hour: z.string().optional().describe('Start of the hour, if granularity is hour.'),
      name: z.string(),
      color: z.string().optional(),
      key: z.string().optional(),
      totalMinutes: minutes,
    }),
  ),
  nextStartDate,
  ...answerMetadata,
});

/** A tool for usage by period: its answer has one row per period and item. @param what the items */
function usageTool(
  subject: UsageSubject,
  what: string,
  names: Record<'name' | 'title' | 'description', string>,
) {
  return defineManicTimeTool({
    ...names,
    input: z.object({
      ...rangeFields,
      name: z.string().optional().describe(`Only ${what} with this in their name.`),
      granularity: z
        .enum(['day', 'hour'])
        .default('day')
        .describe(`Per day, or per hour (up to ${MAX_HOURLY_DAYS} days).`),
      limit: limit(CAPS.usageRows, 'rows, by period, most used first'),
    }),
    output: usageOutput,

    async run(args, { records, privacy, clock }, ctx) {
      const { granularity: grain, name } = args;
      const maxDays = grain === 'hour' ? MAX_HOURLY_DAYS : MAX_RANGE_DAYS;
      const range = await readRange(args, { records, clock }, maxDays, ctx);
      const limit = clamped(CAPS.usageRows, args.limit);
      const found = await records.query('usageByPeriod', { subject, range, grain, name, limit }, ctx);
      const { rows, total, seconds, nextPeriod } = found;
      const answers = usageResponse(rows, grain);
      const fitting = fitted(answers, limit, args.limit, total).items.length;
      const next = rows[fitting]?.period ?? nextPeriod;
      // Answers that continue each other add up: a period is not divided, unless it is the only one.
      const divided = rows.findIndex(({ period }) => period === next);
      const { items, truncation } = capped(answers, divided > 0 ? divided : fitting, total);
      const format = grain === 'hour' ? formatDateTime : formatDate;
      return {
        ...range.dates,
        totalMinutes: minutesOf(seconds),
        count: items.length,
        usage: [...items],
        nextStartDate: next === undefined || divided === 0 ? undefined : format(next),
        ...metadataOf({ privacy }, found, truncation),
      };
    },
  });
}

/** A year has 365 rows of an application: its color and its key are in the first one. */
function usageResponse(rows: readonly UsageRow[], grain: 'day' | 'hour') {
  const ids = new Map<string, Set<string>>();
  for (const { item } of rows) ids.set(item.name, (ids.get(item.name) ?? new Set()).add(item.id));
  const shown = new Set<string>();
  return rows.map(({ period, item, seconds }) => {
    const isFirst = !shown.has(item.id);
    shown.add(item.id);
    const isShared = (ids.get(item.name)?.size ?? 0) > 1;
    return {
      day: formatDate(period),
      hour: grain === 'hour' ? formatDateTime(period) : undefined,
      name: safeText(item.name),
      color: isFirst ? item.color : undefined,
      key: isFirst || isShared ? safeText(item.key) : undefined,
      totalMinutes: minutesOf(seconds),
    };
  });
}

export const getApplicationUsage = usageTool('applications', 'applications', {
  name: 'get_application_usage',
  title: 'Application usage',
  description: 'Returns the minutes per application and day (or hour).',
});

export const getDocumentUsage = usageTool('documents', 'files', {
  name: 'get_document_usage',
  title: 'Document usage',
  description: 'Returns the minutes per file and day (or hour).',
});

export const getWebsiteUsage = defineManicTimeTool({
  name: 'get_website_usage',
  title: 'Website usage',
  description: `Returns the minutes per website in a range of at most ${MAX_SUMMARY_DAYS} days, by hour (up to ${MAX_HOURLY_DAYS} days) or day.`,
  input: z.object({
    ...rangeFields,
    limit: limit(CAPS.websites, 'websites, most used first'),
    minMinutes: z
      .number()
      .min(0)
      .default(0.5)
      .describe('Omit websites with fewer minutes. 0 keeps every visit.'),
  }),
  output: z.object({
    breakdownGranularity: z.enum(['hour', 'day']),
    totalMinutes: minutes.describe('Of all websites, listed or not.'),
    websites: z.array(
      z.object({
        name: z.string(),
        totalMinutes: minutes,
        timeBreakdown: z.array(z.object({ period: z.string(), minutes })),
      }),
    ),
    ...answerMetadata,
  }),

  async run(args, { records, privacy, clock }, ctx) {
    const range = await readRange(args, { records, clock }, MAX_SUMMARY_DAYS, ctx);
    const grain = range.to - range.from <= MAX_HOURLY_DAYS * DAY ? ('hour' as const) : ('day' as const);
    const limit = clamped(CAPS.websites, args.limit);
    const { rows, ...found } = await records.query(
      'usageByPeriod',
      { subject: 'websites', range, grain },
      ctx,
    );
    const format = grain === 'hour' ? formatDateTime : formatDate;
    const periods = Map.groupBy(rows, ({ item }) => item.id);
    const longest = [...periods.values()]
      .map((ofItem) =>
        ofItem.reduce((sum, { item, period, seconds }) => ({ item, period, seconds: sum.seconds + seconds })),
      )
      .filter(({ seconds }) => seconds >= args.minMinutes * MINUTE)
      .toSorted(byLength);
    const sites = longest.slice(0, limit).map(({ item, seconds }) => ({
      name: safeText(item.name),
      totalMinutes: minutesOf(seconds),
      timeBreakdown: (periods.get(item.id) ?? []).map(({ period, seconds }) => ({
        period: format(period),
        minutes: minutesOf(seconds),
      })),
    }));
    const { items, truncation } = fitted(sites, limit, args.limit, longest.length);
    const notes = longest.length === 0 && rows.length > 0 ? [...found.notes, allShort] : found.notes;
    return {
      breakdownGranularity: grain,
      totalMinutes: minutesOf(found.seconds),
      websites: [...items],
      ...metadataOf({ privacy }, { ...found, notes }, truncation),
    };
  },
});
