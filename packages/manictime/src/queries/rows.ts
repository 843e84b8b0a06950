import type { DiagnosticNote } from '@deskside/core/errors';
import { readDays } from '../analysis/days.ts';
import { emptyReason } from '../analysis/range.ts';
import { hasRules, permittedTexts, type PrivacyRules } from '../analysis/privacy.ts';
import { applyPrivacyToRows } from '../analysis/private-rows.ts';
import { count, type Damage, damageNote } from '../database/judgement.ts';
import type { Snapshot } from '../database/snapshot.ts';
import { tagsOfRow } from '../database/tags.ts';
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
  const found: Activity[] = [];
  const damage = new Map<string, number>();
  let [total, concealed, unattributed] = [0, 0, false];
  let nextStart: number | undefined;
  for (const day of rowsByDay(snapshot, timelines, range, rules)) {
    const rows = day.rows.toSorted(
      (a, b) => a.localStart - b.localStart || (a.activityId ?? 0) - (b.activityId ?? 0),
    );
    const room = limit - found.length;
    found.push(...rows.slice(0, room));
    nextStart ??= rows[room]?.localStart;
    total += rows.length;
    concealed += day.concealed;
    unattributed ||= day.unattributed;
    for (const [reason, times] of day.damage) count(damage, reason, times);
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

/** Rows that start on one day, or before the range, with privacy rules applied. */
interface DayOfRows {
  readonly damage: Damage;
  readonly rows: readonly Activity[];
  readonly concealed: number;
  /** Whether a known window is missing for some of them. */
  readonly unattributed: boolean;
}

function* rowsByDay(
  snapshot: Snapshot,
  timelines: readonly Timeline[],
  range: LocalRange,
  rules: PrivacyRules,
): Generator<DayOfRows> {
  if (!hasRules(rules)) {
    for (const { activities, damage } of snapshot.batches(timelines, range))
      yield { rows: activities, concealed: 0, unattributed: false, damage };
    return;
  }
  const states = ofKind(timelines, 'usage');
  const others = timelines.filter((timeline) => !states.includes(timeline));
  // A rule for a window hides the pages and tags in it, and what plugins tracked then: these timelines are filtered together.
  if (others.length > 0) yield* screenRows(snapshot, others, range, rules);
  for (const { activities, damage } of snapshot.batches(states, range)) {
    const { rows, concealed } = applyPrivacyToRows(activities, rules);
    yield { rows, concealed: concealed.length, unattributed: false, damage };
  }
}

function* screenRows(
  snapshot: Snapshot,
  timelines: readonly Timeline[],
  range: LocalRange,
  rules: PrivacyRules,
): Generator<DayOfRows> {
  const ids = new Set(timelines.map(({ reportId }) => reportId));
  let from = Number.NEGATIVE_INFINITY;
  for (const day of readDays(snapshot, range, rules, { others: true, atoms: false })) {
    // A row over midnight is in both days.
    const start = from;
    const isNew = ({ timeline, localStart }: Activity) => ids.has(timeline.reportId) && localStart >= start;
    yield {
      rows: [...day.applications, ...day.documents, ...day.others, ...day.tags].filter(isNew),
      concealed: [...day.concealed, ...day.concealedTags].filter(isNew).length,
      unattributed: day.unattributed.some(isNew),
      damage: day.damage,
    };
    from = day.range.to;
  }
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
