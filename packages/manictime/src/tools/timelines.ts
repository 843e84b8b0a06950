import {
  capped,
  cappedToFit,
  clampTo,
  diagnosticsOf,
  readRangeArguments,
  type RequestContext,
} from '@deskside/core';
import { formatDateTime } from '@deskside/core/dates';
import { type DiagnosticNote, UserError } from '@deskside/core/errors';
import { z } from 'zod';
import type { ManicTime } from '../manictime.ts';
import { ofKind, type TimelineKind } from '../database/model/activity.ts';
import { noApplicationsTimeline, noTagsTimeline, noUsageTimeline } from '../database/model/notes.ts';
import type { TaggedActivity } from '../queries/rows.ts';
import { defineManicTimeTool, READ_ONLY, safeText } from './define-tool.ts';
import {
  DEFAULT_ROWS,
  hidden,
  hiddenOf,
  limit,
  MAX_RANGE_DAYS,
  MAX_ROWS,
  MAX_TIMELINES,
  rangeFields,
  resultMetadata,
} from './schemas.ts';

const activityRow = z.object({
  activityId: z.int().optional(),
  reportId: z.int(),
  startLocalTime: z.string(),
  endLocalTime: z.string(),
  name: z.string().optional(),
  groupId: z.int().optional(),
  groupName: z.string().optional(),
  groupColor: z.string().optional(),
  groupKey: z.string().optional(),
  commonGroupName: z.string().optional(),
  tags: z.array(z.string()).optional(),
});

function activityResponse({ activity, tags }: TaggedActivity, includeGroupDetails: boolean) {
  const { activityId, timeline, localStart, localEnd, name, groupId, group, isRedacted } = activity;
  return {
    activityId: isRedacted === true ? undefined : activityId,
    reportId: timeline.reportId,
    startLocalTime: formatDateTime(localStart),
    endLocalTime: formatDateTime(localEnd),
    name: safeText(name),
    groupId,
    ...(includeGroupDetails
      ? {
          groupName: safeText(group?.name),
          groupColor: group?.color,
          groupKey: safeText(group?.key),
          commonGroupName: safeText(group?.commonName),
        }
      : {}),
    ...(tags.length === 0 ? {} : { tags: tags.map((tag) => safeText(tag)) }),
  };
}

export const getTimelines = defineManicTimeTool({
  name: 'get_timelines',
  title: 'Timelines',
  description: (tool) =>
    `Lists ManicTime's timelines: applications, documents, computer usage, tags, plugins. Needed only for ${tool('get_activities')}, which takes a reportId.`,
  annotations: READ_ONLY,
  input: z.object({}),
  output: z.object({
    count: z.int(),
    timelines: z.array(
      z.object({ reportId: z.int(), schemaName: z.string(), baseSchemaName: z.string().optional() }),
    ),
    ...resultMetadata,
  }),

  async run(_, { records }, ctx) {
    const timelines = await records.query('timelines', undefined, ctx);
    const { items, truncation } = capped(timelines, MAX_TIMELINES);
    const note = ofKind(timelines, 'applications').length === 0 ? noApplicationsTimeline : undefined;
    return {
      count: items.length,
      timelines: items.map(({ reportId, schemaName, baseSchemaName }) => ({
        reportId,
        schemaName: safeText(schemaName),
        baseSchemaName: safeText(baseSchemaName),
      })),
      truncation,
      diagnostics: diagnosticsOf([note]),
    };
  },
});

export const getActivities = defineManicTimeTool({
  name: 'get_activities',
  title: 'Activities of a timeline',
  description: (tool) =>
    `Returns raw rows of one timeline that overlap a range, with names and colors, neither merged nor clipped to active time. For "what did I do" use ${tool('get_activity_narrative')}.`,
  annotations: READ_ONLY,
  input: z.object({
    timelineId: z.int().describe('reportId of a timeline.'),
    ...rangeFields,
    limit: limit(DEFAULT_ROWS, MAX_ROWS, 'rows, earliest first'),
    includeGroupDetails: z.boolean().default(true).describe('Include name, color and key of each group.'),
  }),
  output: z.object({
    timelineId: z.int(),
    startDate: z.string(),
    endDate: z.string(),
    count: z.int(),
    activities: z.array(activityRow),
    hidden,
    ...resultMetadata,
  }),

  async run(args, { records, privacy }, ctx) {
    const range = readRangeArguments(args.startDate, args.endDate, { maxDays: MAX_RANGE_DAYS });
    const limit = clampTo(MAX_ROWS, DEFAULT_ROWS, args.limit);
    const { timelineId, includeGroupDetails } = args;
    const found = await records.query('rows', { of: { timelineId }, range, limit }, ctx);
    if (found === undefined) throw unknownTimeline(timelineId);
    const rows = found.rows.map((row) => activityResponse(row, includeGroupDetails));
    const { items, truncation } = cappedToFit(rows, limit, found.total);
    return {
      timelineId,
      startDate: range.startDate,
      endDate: range.endDate,
      count: items.length,
      activities: [...items],
      hidden: hiddenOf(privacy, found.concealed),
      truncation,
      diagnostics: diagnosticsOf(found.notes),
    };
  },
});

function unknownTimeline(id: number): UserError {
  return new UserError({
    code: 'NOT_FOUND',
    error: `Timeline ${id} does not exist.`,
    hint: (toolName) => `Pass a reportId from ${toolName('get_timelines')}.`,
  });
}

/** Arguments and answer of the tools for one schema: the rows of all its timelines together. */
const rowsInput = z.object({
  ...rangeFields,
  limit: limit(DEFAULT_ROWS, MAX_ROWS, 'rows, earliest first'),
});

const rowsOutput = z.object({
  schemaName: z.string(),
  startDate: z.string(),
  endDate: z.string(),
  count: z.int(),
  activities: z.array(activityRow),
  hidden,
  ...resultMetadata,
});

interface KindRequest {
  readonly kind: TimelineKind;
  readonly schemaName: string;
  /** Reported if the database has no such timeline. */
  readonly missing: DiagnosticNote;
}

async function rowsOfKind(
  { kind, schemaName, missing }: KindRequest,
  args: z.output<typeof rowsInput>,
  { records, privacy }: ManicTime,
  ctx: RequestContext,
) {
  const range = readRangeArguments(args.startDate, args.endDate, { maxDays: MAX_RANGE_DAYS });
  const limit = clampTo(MAX_ROWS, DEFAULT_ROWS, args.limit);
  const found = await records.query('rows', { of: { kind }, range, limit, missing }, ctx);
  const rows = (found?.rows ?? []).map((row) => activityResponse(row, true));
  const { items, truncation } = cappedToFit(rows, limit, found?.total);
  return {
    schemaName,
    startDate: range.startDate,
    endDate: range.endDate,
    count: items.length,
    activities: [...items],
    hidden: hiddenOf(privacy, found?.concealed ?? 0),
    truncation,
    diagnostics: diagnosticsOf(found?.notes ?? []),
  };
}

const usageRows = { kind: 'usage', schemaName: 'ManicTime/ComputerUsage', missing: noUsageTimeline } as const;

export const getComputerUsage = defineManicTimeTool({
  name: 'get_computer_usage',
  title: 'Computer usage',
  description:
    'Returns when the computer was active, away, locked or off: rows of the ComputerUsage timeline that overlap a range, not clipped to it.',
  annotations: READ_ONLY,
  input: rowsInput,
  output: rowsOutput,
  run: (args, manictime, ctx) => rowsOfKind(usageRows, args, manictime, ctx),
});

const tagRows = { kind: 'tags', schemaName: 'ManicTime/Tags', missing: noTagsTimeline } as const;

export const getTags = defineManicTimeTool({
  name: 'get_tags',
  title: 'Tags',
  description: (tool) =>
    `Returns the tags (projects, clients, billable) of a range: the rows of the Tags timeline. ${tool('get_activity_narrative')} already returns the tags of each segment.`,
  annotations: READ_ONLY,
  input: rowsInput,
  output: rowsOutput,
  run: (args, manictime, ctx) => rowsOfKind(tagRows, args, manictime, ctx),
});
