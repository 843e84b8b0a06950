import { capped, diagnosticsOf, type RequestContext } from '@deskside/core';
import { formatDateTime } from '@deskside/core/dates';
import { UserError } from '@deskside/core/errors';
import * as z from 'zod';
import type { ManicTime } from '../manictime.ts';
import { ofKind, type Timeline } from '../database/model/activity.ts';
import { noApplicationsTimeline, noTagsTimeline, noUsageTimeline } from '../database/model/notes.ts';
import { minutesOf } from '../database/model/time.ts';
import type { QueryResult } from '../queries/catalog.ts';
import type { TaggedActivity } from '../queries/rows.ts';
import { rangeFields, rangeOutput, readRange } from './dates.ts';
import { countFitting, safeText } from '../database/model/text.ts';
import { defineManicTimeTool } from './define-tool.ts';
import {
  answerMetadata,
  CAPS,
  clamped,
  continuation,
  fitted,
  limit,
  MAX_RANGE_DAYS,
  MAX_SUMMARY_DAYS,
  metadataOf,
  minutes,
  nextStartDate,
  resultMetadata,
} from './schemas.ts';

const MAX_TIMELINES = 200;

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

const timelineFields = z.object({
  reportId: z.int(),
  schemaName: z.string(),
  baseSchemaName: z.string().optional(),
  name: z.string().optional(),
  deviceName: z.string().optional(),
});

export function timelineResponse({ reportId, schemaName, baseSchemaName, name, deviceName }: Timeline) {
  return {
    reportId,
    schemaName: safeText(schemaName),
    baseSchemaName: safeText(baseSchemaName),
    name: safeText(name),
    deviceName: safeText(deviceName),
  };
}

export const getTimelines = defineManicTimeTool({
  name: 'get_timelines',
  title: 'Timelines',
  description: (tool) =>
    `Lists ManicTime's timelines with the reportId that ${tool('get_activities')} takes.`,
  input: z.object({}),
  output: z.object({
    count: z.int(),
    timelines: z.array(timelineFields),
    ...resultMetadata,
  }),

  async run(_, { records }, ctx) {
    const timelines = await records.query('timelines', undefined, ctx);
    const { items, truncation } = capped(timelines, MAX_TIMELINES);
    const note = ofKind(timelines, 'applications').length === 0 ? noApplicationsTimeline : undefined;
    return {
      count: items.length,
      timelines: items.map(timelineResponse),
      truncation,
      diagnostics: diagnosticsOf([note]),
    };
  },
});

export const getActivities = defineManicTimeTool({
  name: 'get_activities',
  title: 'Activities of a timeline',
  description: (tool) =>
    `Returns raw rows of one timeline that overlap a range, neither merged nor clipped. For "what did I do" use ${tool('get_activity_narrative')}.`,
  input: z.object({
    timelineId: z.int().describe('reportId of a timeline.'),
    ...rangeFields,
    limit: limit(CAPS.rows, 'rows, earliest first'),
    includeGroupDetails: z.boolean().default(true).describe('Include names, colors and keys of groups.'),
  }),
  output: z.object({
    timelineId: z.int(),
    ...rangeOutput,
    count: z.int(),
    activities: z.array(activityRow),
    nextStartDate,
    ...answerMetadata,
  }),

  async run(args, { records, privacy, clock }, ctx) {
    const range = await readRange(args, { records, clock }, MAX_RANGE_DAYS, ctx);
    const limit = clamped(CAPS.rows, args.limit);
    const { timelineId, includeGroupDetails } = args;
    const found = await records.query(
      'rows',
      { of: { timelineId }, range, limit, showsGroups: includeGroupDetails },
      ctx,
    );
    if (found === undefined) throw unknownTimeline(timelineId);
    const rows = found.rows.map((row) => activityResponse(row, includeGroupDetails));
    const { items, truncation } = fitted(rows, limit, args.limit, found.total);
    const next = found.rows[items.length]?.activity.localStart ?? found.nextStart;
    return {
      timelineId,
      ...range.dates,
      count: items.length,
      activities: [...items],
      nextStartDate: continuation(next, range),
      ...metadataOf({ privacy }, { ...found, notes: [...found.notes, ...found.emptyNotes] }, truncation),
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

/** Of tags or states. Their minutes alone have 15 kB. */
const MAX_TOTALS = 200;
const MAX_BREAKDOWN_BYTES = 16_000;
const MAX_COMBINATION_BYTES = 6000;

/** Arguments and answer of the tools for one schema: the rows of all its timelines together. */
const rowsInput = z.object({
  ...rangeFields,
  limit: limit(CAPS.rows, 'rows, earliest first'),
});

const totals = z.array(
  z.object({
    name: z.string(),
    color: z.string().optional(),
    totalMinutes: minutes,
    activeMinutes: minutes.optional().describe('The active time in it.'),
    breakdown: z.array(z.object({ period: z.string(), minutes })).optional(),
  }),
);

/** Only of tags: two computers can be in two states at once, but that answers no question. */
const combinationFields = {
  combinations: z
    .array(z.object({ names: z.array(z.string()), totalMinutes: minutes }))
    .optional()
    .describe('If some time has several tags: minutes with exactly these, together totalMinutes.'),
  omittedCombinations: z.int().optional(),
};

const rowsOutput = <More extends z.ZodRawShape>(what: string, more: More) =>
  z.object({
    schemaName: z.string(),
    ...rangeOutput,
    totals: totals.describe(
      `Minutes per ${what} in the range, by day (over ${MAX_SUMMARY_DAYS} days: by month).`,
    ),
    omittedTotals: z.int().optional().describe('The shortest ones.'),
    totalMinutes: minutes.describe('Overlapping time once.'),
    ...more,
    count: z.int(),
    activities: z.array(activityRow),
    nextStartDate,
    ...answerMetadata,
  });

const KINDS = {
  usage: { schemaName: 'ManicTime/ComputerUsage', totals: 'stateTotals', missing: noUsageTimeline },
  tags: { schemaName: 'ManicTime/Tags', totals: 'tagTotals', missing: noTagsTimeline },
} as const;

async function rowsOfKind(
  kind: keyof typeof KINDS,
  args: z.output<typeof rowsInput>,
  { records, privacy, clock }: ManicTime,
  ctx: RequestContext,
) {
  const { schemaName, totals, missing } = KINDS[kind];
  const range = await readRange(args, { records, clock }, MAX_RANGE_DAYS, ctx);
  const limit = clamped(CAPS.rows, args.limit);
  const [summed, found] = await Promise.all([
    records.query(totals, { range }, ctx),
    records.query('rows', { of: { kind }, range, limit, missing, showsGroups: false }, ctx),
  ]);
  const sums = totalsResponse(summed);
  // The totals have the colors. A row without a name has that of its group.
  const rows = (found?.rows ?? []).map((row) => activityResponse(row, row.activity.name === undefined));
  const bytes = Buffer.byteLength(JSON.stringify(sums));
  const { items, truncation } = fitted(rows, limit, args.limit, found?.total ?? 0, bytes);
  // A state that lasts has no row yet, and tags that are attached to windows have none.
  const empty = summed.totals.length === 0 ? (found?.emptyNotes ?? []) : [];
  const next = found?.rows[items.length]?.activity.localStart ?? found?.nextStart;
  return {
    schemaName,
    ...range.dates,
    ...sums,
    ...(kind === 'tags' ? combinationsResponse(summed.combinations) : {}),
    count: items.length,
    activities: [...items],
    nextStartDate: continuation(next, range),
    ...metadataOf(
      { privacy },
      { concealed: found?.concealed ?? 0, notes: [...summed.notes, ...(found?.notes ?? []), ...empty] },
      { ...truncation, truncated: truncation.truncated || sums.omittedTotals !== undefined },
    ),
  };
}

type Totals = QueryResult<'tagTotals'>;

function totalsResponse({ totals, seconds }: Totals) {
  const breakdowns = totals
    .slice(0, MAX_TOTALS)
    .map(({ periods }) => periods.map(({ period, seconds }) => ({ period, minutes: minutesOf(seconds) })));
  const fitting = countFitting(breakdowns, MAX_BREAKDOWN_BYTES);
  return {
    totals: totals.slice(0, MAX_TOTALS).map(({ name, color, seconds, activeSeconds }, index) => ({
      name: safeText(name),
      color,
      totalMinutes: minutesOf(seconds),
      activeMinutes: activeSeconds === undefined ? undefined : minutesOf(activeSeconds),
      breakdown: index < fitting ? breakdowns[index] : undefined,
    })),
    omittedTotals: totals.length > MAX_TOTALS ? totals.length - MAX_TOTALS : undefined,
    totalMinutes: minutesOf(seconds),
  };
}

/** The longest ones; nothing if no time has several tags. */
function combinationsResponse(combinations: Totals['combinations']) {
  if (combinations.every(({ names }) => names.length <= 1)) return {};
  const answers = combinations.map(({ names, seconds }) => ({
    names: names.map((name) => safeText(name)),
    totalMinutes: minutesOf(seconds),
  }));
  const fitting = countFitting(answers, MAX_COMBINATION_BYTES);
  const omitted = answers.length - fitting;
  return { combinations: answers.slice(0, fitting), omittedCombinations: omitted > 0 ? omitted : undefined };
}

export const getComputerUsage = defineManicTimeTool({
  name: 'get_computer_usage',
  title: 'Computer usage',
  description:
    'Returns when and how long the computer was active, away, locked or off (breaks, start and end of work): minutes per state, and the ComputerUsage rows.',
  input: rowsInput,
  output: rowsOutput('state', {}),
  run: (args, manictime, ctx) => rowsOfKind('usage', args, manictime, ctx),
});

export const getTags = defineManicTimeTool({
  name: 'get_tags',
  title: 'Tags',
  description:
    'Returns how long the person worked on each tag (project, client, billable): minutes per tag and day, and the Tags rows. Time with two tags counts for both; see combinations.',
  input: rowsInput,
  output: rowsOutput('tag', combinationFields),
  run: (args, manictime, ctx) => rowsOfKind('tags', args, manictime, ctx),
});
