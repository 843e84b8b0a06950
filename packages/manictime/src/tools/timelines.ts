import { capped, cappedToFit, clampTo, diagnosticsOf, readRangeArguments } from '@deskside/core';
import { formatDateTime } from '@deskside/core/dates';
import { type DiagnosticNote, UserError } from '@deskside/core/errors';
import { z } from 'zod';
import { permittedTexts } from '../analysis/privacy.ts';
import { type RawRows, rawRows } from '../analysis/range.ts';
import type { Snapshot } from '../database/snapshot.ts';
import { tagNames } from '../database/tags.ts';
import { emptyRangeNote } from '../database/timelines.ts';
import type { ManicTime } from '../manictime.ts';
import { type Activity, type LocalRange, ofKind, type TimelineKind } from '../model/activity.ts';
import {
  activitiesPrivate,
  noApplicationsTimeline,
  noCommonGroups,
  noTagsTimeline,
  notYetAttributable,
  noUsageTimeline,
} from '../model/notes.ts';
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

function activityResponse(activity: Activity, includeGroupDetails: boolean, tags: readonly string[] = []) {
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

  async run(_, { database }, { signal }) {
    const timelines = await database.read((snapshot) => snapshot.timelines, signal);
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

  async run(args, { database, privacy }, { signal }) {
    const range = readRangeArguments(args.startDate, args.endDate, { maxDays: MAX_RANGE_DAYS });
    const limit = clampTo(MAX_ROWS, DEFAULT_ROWS, args.limit);
    const { rows, total, notes, concealed } = await database.read((snapshot) => {
      const timeline = snapshot.timelines.find(({ reportId }) => reportId === args.timelineId);
      if (timeline === undefined) throw unknownTimeline(args.timelineId);
      const raw = rawRows(snapshot, [timeline], range, limit, privacy);
      return {
        rows: raw.activities.map((row) =>
          activityResponse(row, args.includeGroupDetails, permittedTexts(tagsOfRow(snapshot, row), privacy)),
        ),
        ...raw,
        notes: [...groupNotes(snapshot, args.includeGroupDetails), ...emptyNotes(snapshot, range, raw)],
      };
    }, signal);
    const { items, truncation } = cappedToFit(rows, limit, total);
    return {
      timelineId: args.timelineId,
      startDate: range.startDate,
      endDate: range.endDate,
      count: items.length,
      activities: [...items],
      hidden: hiddenOf(privacy, concealed),
      truncation,
      diagnostics: diagnosticsOf(notes),
    };
  },
});

function emptyNotes(snapshot: Snapshot, range: LocalRange, raw: RawRows): DiagnosticNote[] {
  if (raw.unattributed) return [notYetAttributable];
  if (raw.total > 0) return [];
  return [raw.concealed > 0 ? activitiesPrivate : emptyRangeNote(snapshot, range)];
}

function tagsOfRow(snapshot: Snapshot, row: Activity): readonly string[] {
  const { timeline, activityId, isRedacted } = row;
  if (isRedacted === true) return [];
  if (timeline.kind === 'tags') return tagNames(row, snapshot.listedTags);
  return timeline.kind === 'applications'
    ? (snapshot.attachedTags?.(timeline.reportId, activityId) ?? [])
    : [];
}

function groupNotes({ layout }: Snapshot, includeGroupDetails: boolean) {
  return includeGroupDetails && !layout.has('Ar_CommonGroup') ? [noCommonGroups] : [];
}

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

export interface RowsRequest {
  readonly kind: TimelineKind;
  readonly schemaName: string;
  /** Reported if the database has no such timeline. */
  readonly missing: DiagnosticNote;
}

async function rowsOfKind(
  { kind, schemaName, missing }: RowsRequest,
  args: z.output<typeof rowsInput>,
  { database, privacy }: ManicTime,
  signal: AbortSignal,
) {
  const range = readRangeArguments(args.startDate, args.endDate, { maxDays: MAX_RANGE_DAYS });
  const limit = clampTo(MAX_ROWS, DEFAULT_ROWS, args.limit);
  const { rows, total, notes, concealed } = await database.read((snapshot) => {
    const timelines = ofKind(snapshot.timelines, kind);
    const raw = rawRows(snapshot, timelines, range, limit, privacy);
    const { listedTags } = snapshot;
    return {
      rows: raw.activities.map((row) =>
        activityResponse(row, true, kind === 'tags' ? tagNames(row, listedTags) : []),
      ),
      ...raw,
      notes: [...(timelines.length === 0 ? [missing] : []), ...emptyNotes(snapshot, range, raw)],
    };
  }, signal);
  const { items, truncation } = cappedToFit(rows, limit, total);
  return {
    schemaName,
    startDate: range.startDate,
    endDate: range.endDate,
    count: items.length,
    activities: [...items],
    hidden: hiddenOf(privacy, concealed),
    truncation,
    diagnostics: diagnosticsOf(notes),
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
  run: (args, manictime, { signal }) => rowsOfKind(usageRows, args, manictime, signal),
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
  run: (args, manictime, { signal }) => rowsOfKind(tagRows, args, manictime, signal),
});
