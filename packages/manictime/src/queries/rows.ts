import type { DiagnosticNote } from '@deskside/core/errors';
import { type Asked, readDays, type Source } from '../analysis/days.ts';
import { emptyReason, RangeFacts } from '../analysis/range.ts';
import { permittedTexts } from '../analysis/privacy.ts';
import { applyPrivacyToRows } from '../analysis/private-rows.ts';
import type { Snapshot } from '../database/snapshot.ts';
import {
  type Activity,
  type LocalRange,
  ofKind,
  type Timeline,
  type TimelineKind,
  touching,
} from '../database/model/activity.ts';
import { activitiesPrivate, noCommonGroups, onlyOtherRows } from '../database/model/notes.ts';

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

/** The raw rows of a range, clipped neither to it nor to active time; undefined if the timeline does not exist. */
export function findRows(
  { snapshot, rules }: Source,
  { range, limit, of, showsGroups, missing }: RowsRequest,
) {
  const asked = { snapshot, range, rules };
  const timelines = timelinesOf(snapshot, of);
  if ('timelineId' in of && timelines.length === 0) return undefined;
  const ids = new Set(timelines.map(({ reportId }) => reportId));
  const isOf = ({ timeline }: Activity) => ids.has(timeline.reportId);
  const facts = new RangeFacts(asked, isOf);
  const found: Activity[] = [];
  let total = 0;
  let nextStart: number | undefined;
  for (const day of readDays(asked, { rowsOf: timelines })) {
    // A row over midnight is in both days.
    const { from } = day.range;
    const isNew = (row: Activity) => isOf(row) && (row.localStart >= from || from === range.from);
    const usage = touching(day.usage, day.range);
    const states = applyPrivacyToRows(usage, rules);
    facts.add({ ...day, concealed: [...day.concealed, ...states.concealed] });
    const rows = [...day.applications, ...day.documents, ...day.others, ...day.tags, ...states.rows]
      .filter(isNew)
      .toSorted((a, b) => a.localStart - b.localStart || (a.activityId ?? 0) - (b.activityId ?? 0));
    const room = limit - found.length;
    found.push(...rows.slice(0, room));
    nextStart ??= rows[room]?.localStart;
    total += rows.length;
  }
  const isEmpty = total === 0 && facts.unattributed === 0;
  return {
    /** The first ones by start. */
    rows: found.map((activity): TaggedActivity => ({
      activity,
      tags: activity.isRedacted === true ? [] : permittedTexts(snapshot.tags.of(activity), rules),
    })),
    /** How many rows overlap the range, without excluded ones. */
    total,
    /** Start of the first row after the limit. */
    nextStart,
    concealed: facts.concealed,
    notes: facts.rowNotes([
      timelines.length === 0 && missing,
      showsGroups && !snapshot.layout.has('Ar_CommonGroup') && noCommonGroups,
    ]),
    /** Why there are no rows. */
    emptyNotes: isEmpty ? [facts.concealed > 0 ? activitiesPrivate : reasonOf(asked)] : [],
  };
}

function reasonOf(asked: Asked): DiagnosticNote {
  const { snapshot, range } = asked;
  const applications = ofKind(snapshot.timelines, 'applications');
  for (const { activities } of snapshot.batches(applications, range))
    if (activities.length > 0) return onlyOtherRows;
  return emptyReason(asked);
}

function timelinesOf({ timelines }: Snapshot, of: RowsRequest['of']): Timeline[] {
  if ('kind' in of) return ofKind(timelines, of.kind);
  return timelines.filter(({ reportId }) => reportId === of.timelineId);
}
