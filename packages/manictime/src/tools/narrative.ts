import type { RequestContext } from '@deskside/core';
import { DAY, formatDateTime, MINUTE, type WallTime } from '@deskside/core/dates';
import type { DiagnosticNote } from '@deskside/core/errors';
import * as z from 'zod';
import type { NarrativeOptions } from '../analysis/narrative.ts';
import type { ManicTime } from '../manictime.ts';
import { minutesOf } from '../database/model/time.ts';
import type { SegmentWithScreenshot, Suggestion } from '../screenshots/selection.ts';
import {
  dateRange,
  type DateRange,
  localTimeOf,
  rangeFields,
  rangeOutput,
  readDay,
  readRange,
} from './dates.ts';
import { dayViewMeta } from './day-view.ts';
import { safeText } from '../database/model/text.ts';
import { defineManicTimeTool } from './define-tool.ts';
import {
  answerMetadata,
  CAPS,
  clamped,
  MAX_LIST_BYTES,
  MAX_RANGE_DAYS,
  MAX_REQUESTED_BYTES,
  MAX_TOP_ITEMS,
  limit,
  metadataOf,
  minutes,
  omitted,
  omittedOf,
  topApplications,
  topApplicationsOf,
  topWebsites,
  topWebsitesOf,
} from './schemas.ts';

/** The whole answer has 8 kB. */
const BRIEF_BYTES = 6500;
const BRIEF_TOP_ITEMS = 10;

const narrativeShape = {
  ...rangeOutput,
  headline: z.string().optional().describe('The range in one sentence. A break is over two minutes.'),
  totalActiveMinutes: minutes.describe('Total of the range, independent of filters and caps.'),
  segments: z.array(
    z.object({
      start: z.string(),
      end: z.string(),
      durationMinutes: minutes.describe('Active time of the application.'),
      otherMinutes: minutes.optional().describe('Of brief or joined visits in it.'),
      joinedSegments: z.int().optional(),
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
  ...omitted,
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
  recordedUntil: z.string().optional().describe('If the range is not over: end of the last row.'),
  recordedMinutesAgo: minutes.optional(),
  ...answerMetadata,
};

const segmentInput = {
  minDurationMinutes: z.number().min(0).default(0).describe('Omit shorter segments; totals stay.'),
  maxGapMinutes: z
    .number()
    .min(0)
    .default(2)
    .describe('Merge segments of one application with a gap up to this.'),
  maxSegments: limit(CAPS.segments, 'segments. Without it, short visits are joined until all fit'),
  detail: z.enum(['full', 'brief']).default('full').describe('brief: about 8 kB, with lists of ten.'),
};

/** Which segments a call wants. With a number of them, the list is cut there; else it covers all of the range. */
function segmentOptions(args: z.output<z.ZodObject<typeof segmentInput>>) {
  const isBrief = args.detail === 'brief';
  const joins = isBrief || args.maxSegments === undefined;
  return {
    minDurationSeconds: args.minDurationMinutes * MINUTE,
    maxGapSeconds: args.maxGapMinutes * MINUTE,
    maxSegments: clamped(CAPS.segments, args.maxSegments),
    joins,
    maxBytes: isBrief ? BRIEF_BYTES : joins ? MAX_LIST_BYTES : MAX_REQUESTED_BYTES,
    maxTopItems: isBrief ? BRIEF_TOP_ITEMS : MAX_TOP_ITEMS,
  };
}

async function narrativeResponse(
  { records, privacy }: ManicTime,
  range: DateRange,
  options: NarrativeOptions,
  /** When the call began: a range up to now is over when the query ends. */
  now: WallTime,
  ctx: RequestContext,
) {
  const narrative = await records.query('narrative', { range, options }, ctx);
  const { segmentCount, segments, suggestions } = narrative;
  const { includeSummary, includeWebsites } = options;
  const left = omittedOf(narrative.omittedApplications, narrative.omittedWebsites);
  return {
    ...range.dates,
    headline: narrative.headline,
    totalActiveMinutes: minutesOf(narrative.totalSeconds),
    segments: segments.map((segment) => segmentResponse(segment, includeWebsites)),
    topApplications: topApplicationsOf(narrative.topApplications),
    topWebsites: includeSummary && includeWebsites ? topWebsitesOf(narrative.topWebsites) : undefined,
    ...left,
    suggestedScreenshots: suggestions.length === 0 ? undefined : suggestions.map(suggestionResponse),
    ...ageOf(narrative.recordedUntil, range, now),
    ...metadataOf(
      { privacy },
      { ...narrative, notes: notesWith(narrative.coarsened, narrative.notes) },
      {
        truncated: segments.length < segmentCount || Object.keys(left).length > 0,
        returnedCount: segments.length,
        totalAvailable: segmentCount,
      },
    ),
  };
}

/** How old the last row is, if the range contains the present. */
function ageOf(recordedUntil: WallTime | undefined, { from, to }: DateRange, now: WallTime) {
  if (recordedUntil === undefined || now < from || now > to) return {};
  return {
    recordedUntil: formatDateTime(Math.min(recordedUntil, now)),
    recordedMinutesAgo: minutesOf(Math.max(0, now - recordedUntil)),
  };
}

/** The limit is named beside any other reason. */
function notesWith(coarsened: DiagnosticNote | undefined, notes: readonly DiagnosticNote[]) {
  const first = notes.find(({ degraded }) => degraded) ?? notes[0];
  if (coarsened === undefined || first === undefined) return [...notes, coarsened];
  return [{ ...first, remediationHint: `${first.remediationHint} ${coarsened.remediationHint}` }];
}

function segmentResponse(segment: SegmentWithScreenshot, includeWebsites: boolean) {
  const { localStart, localEnd, seconds, otherSeconds, joined, application, title, document, tags } = segment;
  const { website, websiteSeconds } = segment;
  return {
    start: formatDateTime(localStart),
    end: formatDateTime(localEnd),
    durationMinutes: minutesOf(seconds),
    otherMinutes: otherSeconds === 0 ? undefined : minutesOf(otherSeconds),
    joinedSegments: joined === 1 ? undefined : joined,
    application: safeText(application),
    title: title === application ? undefined : safeText(title),
    document: safeText(document),
    website: includeWebsites ? safeText(website) : undefined,
    websiteMinutes:
      !includeWebsites || website === undefined || websiteSeconds >= seconds
        ? undefined
        : minutesOf(websiteSeconds),
    tags: tags.length === 0 ? undefined : tags.map((tag) => safeText(tag)),
    screenshotRef: segment.screenshotRef,
  };
}

function suggestionResponse({ screenshotRef, takenAt, application, hint }: Suggestion) {
  return { screenshotRef, timestamp: formatDateTime(takenAt), application: safeText(application), hint };
}

export const getActivityNarrative = defineManicTimeTool({
  name: 'get_activity_narrative',
  title: 'Activity narrative',
  description: (tool) =>
    `Answers "what did I do?": the active time of a range and its segments, each with application, website, document, tags and screenshot. Use it for hours or one day, and ${tool('get_period_summary')} for several days.`,
  input: z.object({
    ...rangeFields,
    includeWebsites: z.boolean().default(true).describe('Include websites.'),
    minDurationMinutes: segmentInput.minDurationMinutes,
    maxGapMinutes: segmentInput.maxGapMinutes,
    includeSummary: z.boolean().default(false).describe('Include topApplications and topWebsites.'),
    maxSegments: segmentInput.maxSegments,
    detail: segmentInput.detail,
  }),
  output: z.object(narrativeShape),

  async run(args, manictime, ctx) {
    const now = localTimeOf(manictime.clock);
    const range = await readRange(args, manictime, MAX_RANGE_DAYS, ctx);
    const { includeWebsites, includeSummary } = args;
    const options = { includeWebsites, includeSegments: true, includeSummary, ...segmentOptions(args) };
    return narrativeResponse(manictime, range, options, now, ctx);
  },
});

export const getDailySummary = defineManicTimeTool({
  name: 'get_daily_summary',
  title: 'Daily summary',
  description: 'Summarizes one day: active time, segments, top applications and websites.',
  meta: dayViewMeta,
  input: z.object({
    date: z.string().describe('Day: 2026-11-21, today, yesterday or -3d.'),
    includeSegments: z.boolean().default(true).describe('Include segments.'),
    minDurationMinutes: segmentInput.minDurationMinutes,
    includeHourlyWebBreakdown: z.boolean().default(false).describe('Include minutes per website and hour.'),
    maxGapMinutes: segmentInput.maxGapMinutes,
    maxSegments: segmentInput.maxSegments,
    detail: segmentInput.detail,
  }),
  output: z.object({
    ...narrativeShape,
    segments: z
      .array(z.looseObject({ start: z.string(), end: z.string(), durationMinutes: minutes }))
      .describe('With the fields of the narrative.'),
    topApplications: z.array(z.looseObject({ name: z.string() })),
    topWebsites: z.array(z.looseObject({ name: z.string() })).optional(),
    suggestedScreenshots: z.array(z.looseObject({ screenshotRef: z.string() })).optional(),
    hourlyWebBreakdown: z
      .array(
        z.object({
          hour: z.string(),
          websites: z.array(z.looseObject({ name: z.string() })),
          omittedWebsites: omitted.omittedWebsites,
        }),
      )
      .optional(),
  }),

  async run(args, manictime, ctx) {
    const now = localTimeOf(manictime.clock);
    const day = await readDay(args.date, 'date', manictime, ctx);
    const range = dateRange(day, day + DAY);
    const { includeSegments } = args;
    const options = { includeWebsites: true, includeSegments, includeSummary: true, ...segmentOptions(args) };
    const narrative = await narrativeResponse(manictime, range, options, now, ctx);
    if (!args.includeHourlyWebBreakdown) return narrative;
    const hours = await websitesByHour(manictime, day, ctx);
    const isCut = hours?.some(({ omittedWebsites }) => omittedWebsites !== undefined) === true;
    const { truncation } = narrative;
    return {
      ...narrative,
      hourlyWebBreakdown: hours,
      truncation: { ...truncation, truncated: truncation.truncated || isCut },
    };
  },
});

async function websitesByHour({ records }: ManicTime, day: WallTime, ctx: RequestContext) {
  const range = { from: day, to: day + DAY };
  const { rows } = await records.query('usageByPeriod', { subject: 'websites', range, grain: 'hour' }, ctx);
  if (rows.length === 0) return undefined;
  return [...Map.groupBy(rows, ({ period }) => period)].map(([hour, ofHour]) => ({
    hour: formatDateTime(hour),
    websites: ofHour
      .slice(0, MAX_TOP_ITEMS)
      .map(({ item, seconds }) => ({ name: safeText(item.name), minutes: minutesOf(seconds) })),
    omittedWebsites: omittedOf(0, ofHour.length - MAX_TOP_ITEMS).omittedWebsites,
  }));
}
