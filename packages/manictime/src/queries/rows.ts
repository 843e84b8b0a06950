import type { DiagnosticNote } from '@deskside/core/errors';
import { readDays } from '../analysis/days.ts';
import { emptyReason } from '../analysis/range.ts';
import { permittedTexts, type PrivacyRules } from '../analysis/privacy.ts';
import { applyPrivacyToRows } from '../analysis/private-rows.ts';
import { count, damageNote } from '../database/judgement.ts';
import type { Snapshot } from '../database/snapshot.ts';
import { tagsOfRow } from '../database/tags.ts';
import {
  type Activity,
  type LocalRange,
  ofKind,
  type Timeline,
  type TimelineKind,
  touches,
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

export interface RowsFound {
  /** The first rows by start. */
  readonly rows: readonly TaggedActivity[];
  /** How many rows overlap the range, without excluded ones. */
  readonly total: number;
  /** Start of the first row after the limit. */
  readonly nextStart: number | undefined;
  /** How many rows of these timelines the rules conceal. */
  readonly concealed: number;
  readonly notes: readonly DiagnosticNote[];
  /** Why there are no rows. */
  readonly emptyNotes: readonly DiagnosticNote[];
}

/** The raw rows of a range, clipped neither to it nor to active time; undefined if the timeline does not exist. */
export function findRows(
  snapshot: Snapshot,
  { range, limit, of, showsGroups, missing }: RowsRequest,
  rules: PrivacyRules,
): RowsFound | undefined {
  const timelines = timelinesOf(snapshot, of);
  if ('timelineId' in of && timelines.length === 0) return undefined;
  const ids = new Set(timelines.map(({ reportId }) => reportId));
  const found: Activity[] = [];
  const damage = new Map<string, number>();
  let [total, concealed, unattributed] = [0, 0, false];
  let nextStart: number | undefined;
  let from = Number.NEGATIVE_INFINITY;
  for (const day of readDays(snapshot, range, rules, { rowsOf: timelines })) {
    // A row over midnight is in both days.
    const start = from;
    const isNew = ({ timeline, localStart }: Activity) => ids.has(timeline.reportId) && localStart >= start;
    const states = applyPrivacyToRows(
      day.usage.filter((row) => touches(row, day.range)),
      rules,
    );
    const rows = [...day.applications, ...day.documents, ...day.others, ...day.tags, ...states.rows]
      .filter(isNew)
      .toSorted((a, b) => a.localStart - b.localStart || (a.activityId ?? 0) - (b.activityId ?? 0));
    const room = limit - found.length;
    found.push(...rows.slice(0, room));
    nextStart ??= rows[room]?.localStart;
    total += rows.length;
    concealed += [...day.concealed, ...day.concealedTags, ...states.concealed].filter(isNew).length;
    unattributed ||= day.unattributed.some(isNew);
    for (const [reason, times] of day.damage) count(damage, reason, times);
    from = day.range.to;
  }
  const notes = [
    damageNote(damage),
    timelines.length === 0 && missing,
    showsGroups && !snapshot.layout.has('Ar_CommonGroup') && noCommonGroups,
    unattributed && notYetAttributable,
  ];
  return {
    rows: found.map((activity) => ({
      activity,
      tags: activity.isRedacted === true ? [] : permittedTexts(tagsOfRow(snapshot, activity), rules),
    })),
    total,
    nextStart,
    concealed,
    notes: notes.filter((note) => note !== undefined && note !== false),
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
