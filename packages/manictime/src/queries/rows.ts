import type { DiagnosticNote } from '@deskside/core/errors';
import { emptyReason } from '../analysis/days.ts';
import { permittedTexts, type PrivacyRules } from '../analysis/privacy.ts';
import { rawRows, type RawRows } from '../analysis/raw-rows.ts';
import type { Snapshot } from '../database/snapshot.ts';
import { tagNames } from '../database/tags.ts';
import {
  type Activity,
  type LocalRange,
  ofKind,
  type Timeline,
  type TimelineKind,
} from '../database/model/activity.ts';
import {
  activitiesPrivate,
  noCommonGroups,
  notYetAttributable,
  onlyOtherRows,
} from '../database/model/notes.ts';

/** One row of a timeline, with the tags that it has itself. */
export interface TaggedActivity {
  readonly activity: Activity;
  readonly tags: readonly string[];
}

export interface RowsRequest {
  readonly range: LocalRange;
  readonly limit: number;
  /** One timeline, or all timelines of a kind. */
  readonly of: { readonly timelineId: number } | { readonly kind: TimelineKind };
  /** Whether the names and colors of groups are shown: what is missing for them is then reported. */
  readonly showsGroups: boolean;
  /** Reported if the database has no timeline of the kind. */
  readonly missing?: DiagnosticNote;
}

export interface RowsFound extends Pick<RawRows, 'total' | 'nextStart' | 'concealed'> {
  readonly rows: readonly TaggedActivity[];
  readonly notes: readonly DiagnosticNote[];
  /** Why there are no rows. */
  readonly emptyNotes: readonly DiagnosticNote[];
}

/** The raw rows of a range; undefined if the timeline does not exist. */
export function findRows(
  snapshot: Snapshot,
  { range, limit, of, showsGroups, missing }: RowsRequest,
  rules: PrivacyRules,
): RowsFound | undefined {
  const timelines = timelinesOf(snapshot, of);
  if ('timelineId' in of && timelines.length === 0) return undefined;
  const { activities, total, nextStart, concealed, unattributed } = rawRows(
    snapshot,
    timelines,
    range,
    limit,
    rules,
  );
  return {
    rows: activities.map((activity) => ({
      activity,
      tags: permittedTexts(tagsOfRow(snapshot, activity), rules),
    })),
    total,
    nextStart,
    concealed,
    notes: [
      ...(timelines.length === 0 && missing !== undefined ? [missing] : []),
      ...(showsGroups && !snapshot.layout.has('Ar_CommonGroup') ? [noCommonGroups] : []),
      ...(unattributed ? [notYetAttributable] : []),
    ],
    emptyNotes:
      total > 0 || unattributed ? [] : [concealed > 0 ? activitiesPrivate : reasonOf(snapshot, range)],
  };
}

function reasonOf(snapshot: Snapshot, range: LocalRange): DiagnosticNote {
  const applications = ofKind(snapshot.timelines, 'applications');
  for (const { activities } of snapshot.batches(applications, range))
    if (activities.length > 0) return onlyOtherRows;
  return emptyReason(snapshot, range);
}

function timelinesOf({ timelines }: Snapshot, of: RowsRequest['of']): Timeline[] {
  if ('kind' in of) return ofKind(timelines, of.kind);
  return timelines.filter(({ reportId }) => reportId === of.timelineId);
}

function tagsOfRow(snapshot: Snapshot, row: Activity): readonly string[] {
  const { timeline, activityId, isRedacted } = row;
  if (isRedacted === true) return [];
  if (timeline.kind === 'tags') return tagNames(row, snapshot.listedTags);
  if (timeline.kind !== 'applications') return [];
  return snapshot.attachedTags?.(timeline.reportId, activityId) ?? [];
}
