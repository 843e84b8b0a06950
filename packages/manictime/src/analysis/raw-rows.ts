import type { Snapshot } from '../database/snapshot.ts';
import { type Activity, type LocalRange, ofKind, type Timeline } from '../database/model/activity.ts';
import { readDays } from './days.ts';
import { hasRules, type PrivacyRules } from './privacy.ts';
import { applyPrivacyToRows } from './private-rows.ts';

export interface RawRows {
  /** The first rows by start. */
  readonly activities: readonly Activity[];
  /** How many rows overlap the range, without excluded ones. */
  readonly total: number;
  /** Start of the first row after the limit. */
  readonly nextStart: number | undefined;
  /** How many rows of these timelines the rules conceal, and whether a known window is missing for some. */
  readonly concealed: number;
  readonly unattributed: boolean;
}

/** Rows that start on one day, or before the range, with privacy rules applied. */
interface DayOfRows {
  readonly rows: readonly Activity[];
  readonly concealed: number;
  readonly unattributed: boolean;
}

/** Rows of some timelines that overlap a range, clipped neither to the range nor to active time. */
export function rawRows(
  snapshot: Snapshot,
  timelines: readonly Timeline[],
  range: LocalRange,
  limit: number,
  rules: PrivacyRules,
): RawRows {
  const activities: Activity[] = [];
  let [total, concealed, unattributed] = [0, 0, false];
  let nextStart: number | undefined;
  for (const day of rowsByDay(snapshot, timelines, range, rules)) {
    const rows = day.rows.toSorted((a, b) => a.localStart - b.localStart || a.activityId - b.activityId);
    const room = limit - activities.length;
    activities.push(...rows.slice(0, room));
    nextStart ??= rows[room]?.localStart;
    total += rows.length;
    concealed += day.concealed;
    unattributed ||= day.unattributed;
  }
  return { activities, total, nextStart, concealed, unattributed };
}

function* rowsByDay(
  snapshot: Snapshot,
  timelines: readonly Timeline[],
  range: LocalRange,
  rules: PrivacyRules,
): Generator<DayOfRows> {
  if (!hasRules(rules)) {
    for (const { activities } of snapshot.batches(timelines, range))
      yield { rows: activities, concealed: 0, unattributed: false };
    return;
  }
  const states = ofKind(timelines, 'usage');
  const others = timelines.filter((timeline) => !states.includes(timeline));
  // A rule for a window hides the pages and tags in it, and what plugins tracked then: these timelines are filtered together.
  if (others.length > 0) yield* screenRows(snapshot, others, range, rules);
  for (const { activities } of snapshot.batches(states, range)) {
    const { rows, concealed } = applyPrivacyToRows(activities, rules);
    yield { rows, concealed: concealed.length, unattributed: false };
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
      concealed: day.concealedRows.filter(isNew).length,
      unattributed: day.unattributedRows.some(isNew),
    };
    from = day.range.to;
  }
}
