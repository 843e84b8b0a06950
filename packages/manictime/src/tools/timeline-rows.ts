import { cappedToFit, clampTo, diagnosticsOf, readRangeArguments } from '@deskside/core';
import type { Note } from '../timeline/note.ts';
import { z } from 'zod';
import type { ManicTime } from '../manictime.ts';
import { tagNames } from '../narrative/tags.ts';
import { whyEmpty } from '../timeline/notes.ts';
import { rawRows } from '../timeline/raw-rows.ts';
import { ofKind, type TimelineKind } from '../timeline/timelines.ts';
import { activityAnswer, activityRow } from './activity-rows.ts';
import { ending, limit, range } from './fields.ts';
import { RANGE_DAYS, ROW_CAP, ROW_DEFAULT } from './limits.ts';

/** What the tools for the rows of one schema take and answer: all its timelines together. */
export const rowsInput = z.object({ ...range, limit: limit(ROW_DEFAULT, ROW_CAP, 'rows, earliest first') });

export const rowsOutput = z.object({
  schemaName: z.string(),
  startDate: z.string(),
  endDate: z.string(),
  count: z.int(),
  activities: z.array(activityRow),
  ...ending,
});

export interface RowsRequest {
  readonly kind: TimelineKind;
  readonly schemaName: string;
  /** Said where the database has no such timeline. */
  readonly missing: Note;
}

export async function rowsOfKind(
  { kind, schemaName, missing }: RowsRequest,
  args: z.output<typeof rowsInput>,
  { database, privacy }: ManicTime,
  signal: AbortSignal,
) {
  const asked = readRangeArguments(args.startDate, args.endDate, { mostDays: RANGE_DAYS });
  const limit = clampTo(ROW_CAP, ROW_DEFAULT, args.limit);
  const { rows, total, notes } = await database.read((snapshot) => {
    const timelines = ofKind(snapshot.timelines, kind);
    const { activities, total } = rawRows(snapshot, timelines, asked, limit, privacy);
    const { listedTags } = snapshot;
    return {
      rows: activities.map((row) =>
        activityAnswer(row, true, kind === 'tags' ? tagNames(row, listedTags) : []),
      ),
      total,
      notes: [
        ...(timelines.length === 0 ? [missing] : []),
        ...(total === 0 ? [whyEmpty(snapshot, asked)] : []),
      ],
    };
  }, signal);
  const { items, truncation } = cappedToFit(rows, limit, total);
  return {
    schemaName,
    startDate: asked.startDate,
    endDate: asked.endDate,
    count: items.length,
    activities: [...items],
    truncation,
    diagnostics: diagnosticsOf(notes),
  };
}
