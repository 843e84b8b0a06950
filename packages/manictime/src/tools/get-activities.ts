import { cappedToFit, clampTo, diagnosticsOf, readRangeArguments } from '@deskside/core';
import { z } from 'zod';
import type { Snapshot } from '../database/snapshot.ts';
import { tagNames } from '../narrative/tags.ts';
import { Problem } from '../problem.ts';
import type { Activity } from '../timeline/activity.ts';
import { noCommonGroups, whyEmpty } from '../timeline/notes.ts';
import { rawRows } from '../timeline/raw-rows.ts';
import { activityAnswer, activityRow } from './activity-rows.ts';
import { ending, limit, range } from './fields.ts';
import { RANGE_DAYS, ROW_CAP, ROW_DEFAULT } from './limits.ts';
import { defineManicTimeTool, READ_ONLY } from './manictime-tool.ts';

export const getActivities = defineManicTimeTool({
  name: 'get_activities',
  title: 'Activities of a timeline',
  description: (tool) =>
    `Raw rows of one timeline that overlap a range, with names and colours resolved; neither merged nor cut to active time. For "what did I do" use ${tool('get_activity_narrative')}.`,
  hints: READ_ONLY,
  input: z.object({
    timelineId: z.int().describe('The reportId of a timeline.'),
    ...range,
    limit: limit(ROW_DEFAULT, ROW_CAP, 'rows, earliest first'),
    includeGroupDetails: z
      .boolean()
      .default(true)
      .describe('Include name, colour and key of the group each row belongs to.'),
  }),
  output: z.object({
    timelineId: z.int(),
    startDate: z.string(),
    endDate: z.string(),
    count: z.int(),
    activities: z.array(activityRow),
    ...ending,
  }),

  async run(args, { database, privacy }, { signal, toolName }) {
    const asked = readRangeArguments(args.startDate, args.endDate, { mostDays: RANGE_DAYS });
    const limit = clampTo(ROW_CAP, ROW_DEFAULT, args.limit);
    const { rows, total, notes } = await database.read((snapshot) => {
      const timeline = snapshot.timelines.find(({ reportId }) => reportId === args.timelineId);
      if (timeline === undefined) throw unknownTimeline(args.timelineId, toolName('get_timelines'));
      const { activities, total } = rawRows(snapshot, [timeline], asked, limit, privacy);
      return {
        rows: activities.map((row) =>
          activityAnswer(row, args.includeGroupDetails, tagsOfRow(snapshot, row)),
        ),
        total,
        notes: [
          ...groupNotes(snapshot, args.includeGroupDetails),
          ...(total === 0 ? [whyEmpty(snapshot, asked)] : []),
        ],
      };
    }, signal);
    const { items, truncation } = cappedToFit(rows, limit, total);
    return {
      timelineId: args.timelineId,
      startDate: asked.startDate,
      endDate: asked.endDate,
      count: items.length,
      activities: [...items],
      truncation,
      diagnostics: diagnosticsOf(notes),
    };
  },
});

function tagsOfRow(snapshot: Snapshot, row: Activity): readonly string[] {
  const { timeline, activityId } = row;
  if (timeline.kind === 'tags') return tagNames(row, snapshot.listedTags);
  return timeline.kind === 'applications'
    ? (snapshot.attachedTags?.(timeline.reportId, activityId) ?? [])
    : [];
}

function groupNotes({ layout }: Snapshot, includeGroupDetails: boolean) {
  return includeGroupDetails && !layout.has('Ar_CommonGroup') ? [noCommonGroups] : [];
}

function unknownTimeline(id: number, tool: string): Problem {
  return new Problem({
    code: 'NOT_FOUND',
    error: `There is no timeline ${id}.`,
    hint: `${tool} lists the timelines; pass one of its reportId values.`,
  });
}
