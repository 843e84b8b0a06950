import { clampTo, diagnosticsOf, type RequestContext } from '@deskside/core';
import { type DateRange, DAY, formatDate, formatDateTime, MINUTE, type WallTime } from '@deskside/core/dates';
import * as z from 'zod';
import type { NarrativeOptions } from '../analysis/narrative.ts';
import type { ManicTime } from '../manictime.ts';
import { minutesOf } from '../database/model/time.ts';
import type { SegmentWithScreenshot, Suggestion } from '../screenshots/illustration.ts';
import { rangeFields, readDay, readRange } from './dates.ts';
import { dayViewMeta } from './day-view.ts';
import { defineManicTimeTool, READ_ONLY, safeText } from './define-tool.ts';
import {
  DEFAULT_SEGMENTS,
  fitted,
  hidden,
  hiddenOf,
  MAX_RANGE_DAYS,
  MAX_SEGMENTS,
  MAX_TOP_ITEMS,
  MAX_USAGE_ROWS,
  maxGapMinutes,
  maxSegments,
  minDurationMinutes,
  minutes,
  nextStartDate,
  resultMetadata,
  topApplications,
  topApplicationsOf,
  topWebsites,
  topWebsitesOf,
} from './schemas.ts';

const narrativeShape = {
  startDate: z.string(),
  endDate: z.string(),
  totalActiveMinutes: minutes.describe('Total of the range, independent of filters and caps.'),
  segments: z.array(
    z.object({
      start: z.string(),
      end: z.string(),
      durationMinutes: minutes.describe('Without away, locked and untracked time.'),
      application: z.string().optional(),
      title: z.string().optional().describe('Window title of the longest activity.'),
      document: z.string().optional(),
      website: z.string().optional(),
      websiteMinutes: minutes.optional().describe('If the website was open for a part of it only.'),
      tags: z.array(z.string()).optional(),
      screenshotRef: z.string().optional(),
    }),
  ),
  topApplications,
  topWebsites: topWebsites.optional(),
  suggestedScreenshots: z
    .array(
      z.object({
        screenshotRef: z.string(),
        timestamp: z.string(),
        application: z.string().optional(),
        hint: z.enum(['long session', 'app transition']),
      }),
    )
    .optional(),
  nextStartDate,
  hidden,
  ...resultMetadata,
};

async function narrativeResponse(
  { records, privacy }: ManicTime,
  range: DateRange,
  options: NarrativeOptions,
  requested: number | undefined,
  ctx: RequestContext,
) {
  const narrative = await records.query('narrative', { range, options }, ctx);
  const { maxSegments } = options;
  const { segmentCount, segments } = narrative;
  const { items, truncation } = fitted(segments.map(segmentResponse), maxSegments, requested, segmentCount);
  const next = segments[items.length]?.localStart ?? narrative.nextStart;
  const { includeSummary, includeWebsites } = options;
  const { suggestions } = narrative;
  return {
    startDate: range.startDate,
    endDate: range.endDate,
    totalActiveMinutes: minutesOf(narrative.totalSeconds),
    segments: [...items],
    topApplications: topApplicationsOf(narrative.topApplications),
    topWebsites: includeSummary && includeWebsites ? topWebsitesOf(narrative.topWebsites) : undefined,
    suggestedScreenshots: suggestions.length === 0 ? undefined : suggestions.map(suggestionResponse),
    nextStartDate: next === undefined ? undefined : formatDateTime(next),
    hidden: hiddenOf(privacy, narrative.concealed, narrative.hiddenShots),
    truncation,
    diagnostics: diagnosticsOf(narrative.notes),
  };
}

function segmentResponse(segment: SegmentWithScreenshot) {
  const { localStart, localEnd, seconds, application, title, document, website, websiteSeconds, tags } =
    segment;
  return {
    start: formatDateTime(localStart),
    end: formatDateTime(localEnd),
    durationMinutes: minutesOf(seconds),
    application: safeText(application),
    title: title === application ? undefined : safeText(title),
    document: safeText(document),
    website: safeText(website),
    websiteMinutes:
      website === undefined || websiteSeconds >= seconds ? undefined : minutesOf(websiteSeconds),
    tags: tags.length === 0 ? undefined : tags.map((tag) => safeText(tag)),
    screenshotRef: segment.screenshotRef,
  };
}

function suggestionResponse({ screenshotRef, localStart, application, hint }: Suggestion) {
  return { screenshotRef, timestamp: formatDateTime(localStart), application: safeText(application), hint };
}

export const getActivityNarrative = defineManicTimeTool({
  name: 'get_activity_narrative',
  title: 'Activity narrative',
  description: (tool) =>
    `Answers "what did I do?" in one call: returns the active time of a range and its segments, each with application, website, document, tags and screenshot. Use it for hours or one day. For several days use ${tool('get_period_summary')} first.`,
  annotations: READ_ONLY,
  input: z.object({
    ...rangeFields,
    includeWebsites: z.boolean().default(true).describe('Set to false to omit websites.'),
    minDurationMinutes,
    maxGapMinutes,
    includeSummary: z.boolean().default(false).describe('Include topApplications and topWebsites.'),
    maxSegments,
  }),
  output: z.object(narrativeShape),

  async run(args, manictime, ctx) {
    const range = await readRange(args, manictime, MAX_RANGE_DAYS, ctx);
    const options = {
      includeWebsites: args.includeWebsites,
      minDurationSeconds: args.minDurationMinutes * MINUTE,
      maxGapSeconds: args.maxGapMinutes * MINUTE,
      includeSegments: true,
      includeSummary: args.includeSummary,
      maxSegments: clampTo(MAX_SEGMENTS, DEFAULT_SEGMENTS, args.maxSegments),
    };
    return narrativeResponse(manictime, range, options, args.maxSegments, ctx);
  },
});

export const getDailySummary = defineManicTimeTool({
  name: 'get_daily_summary',
  title: 'Daily summary',
  description: (tool) =>
    `Summarizes one day: active time, segments, top applications and websites, optionally websites by hour. Hosts with MCP Apps also draw the day. For some hours use ${tool('get_activity_narrative')}.`,
  annotations: READ_ONLY,
  meta: dayViewMeta,
  input: z.object({
    date: z.string().describe('Day: 2026-11-21, today, yesterday or -3d.'),
    includeSegments: z.boolean().default(true).describe('Set to false to omit segments.'),
    minDurationMinutes,
    includeHourlyWebBreakdown: z
      .boolean()
      .default(false)
      .describe('Include the minutes per website and hour.'),
    maxGapMinutes,
    maxSegments,
  }),
  output: z.object({
    ...narrativeShape,
    hourlyWebBreakdown: z
      .array(z.object({ hour: z.string(), websites: z.array(z.object({ name: z.string(), minutes })) }))
      .optional(),
  }),

  async run(args, manictime, ctx) {
    const day = await readDay(args.date, 'date', manictime, ctx);
    const range = { from: day, to: day + DAY, startDate: formatDate(day), endDate: formatDate(day + DAY) };
    const options = {
      includeWebsites: true,
      minDurationSeconds: args.minDurationMinutes * MINUTE,
      maxGapSeconds: args.maxGapMinutes * MINUTE,
      includeSegments: args.includeSegments,
      includeSummary: true,
      maxSegments: clampTo(MAX_SEGMENTS, DEFAULT_SEGMENTS, args.maxSegments),
    };
    const narrative = await narrativeResponse(manictime, range, options, args.maxSegments, ctx);
    if (!args.includeHourlyWebBreakdown) return narrative;
    return { ...narrative, hourlyWebBreakdown: await websitesByHour(manictime, day, ctx) };
  },
});

async function websitesByHour({ records }: ManicTime, day: WallTime, ctx: RequestContext) {
  const { rows } = await records.query(
    'usageByPeriod',
    { subject: 'websites', range: { from: day, to: day + DAY }, grain: 'hour', limit: MAX_USAGE_ROWS },
    ctx,
  );
  if (rows.length === 0) return undefined;
  return [...Map.groupBy(rows, ({ period }) => period)].map(([hour, ofHour]) => ({
    hour: formatDateTime(hour),
    websites: ofHour
      .slice(0, MAX_TOP_ITEMS)
      .map(({ item, seconds }) => ({ name: safeText(item.name), minutes: minutesOf(seconds) })),
  }));
}
