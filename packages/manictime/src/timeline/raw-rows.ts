import type { Snapshot } from '../database/snapshot.ts';
import { withoutPrivateNames } from '../privacy/private-rows.ts';
import { hasRules, type PrivacyRules } from '../privacy/rules.ts';
import { DAY } from '../time/wall-clock.ts';
import type { Activity, LocalRange } from './activity.ts';
import { readRange } from './range-rows.ts';
import type { Timeline } from './timelines.ts';

export interface RawRows {
  /** The first of them by start. */
  readonly activities: readonly Activity[];
  /** How many overlap the range, private ones not counted. */
  readonly total: number;
}

/** Seconds of a range whose rows are all read; of a longer one the database counts, and gives the first. */
const FEW_DAYS = 32 * DAY;

/** Rows of some timelines that overlap a range, as they are: neither cut to it nor to active time. */
export function rawRows(
  snapshot: Snapshot,
  timelines: readonly Timeline[],
  range: LocalRange,
  limit: number,
  rules: PrivacyRules,
): RawRows {
  const [only, ...others] = timelines;
  const isLong = range.to - range.from > FEW_DAYS;
  if (only !== undefined && others.length === 0 && isLong && !hasRules(rules)) {
    return snapshot.firstActivities(only, range, limit);
  }
  const activities = shownRows(snapshot, timelines, range, rules).toSorted(
    (a, b) => a.localStart - b.localStart || a.activityId - b.activityId,
  );
  return { activities: activities.slice(0, limit), total: activities.length };
}

function shownRows(
  snapshot: Snapshot,
  timelines: readonly Timeline[],
  range: LocalRange,
  rules: PrivacyRules,
): Activity[] {
  const ids = new Set(timelines.map(({ reportId }) => reportId));
  const onScreen = new Set(['applications', 'documents', 'urls']);
  const alone = timelines.filter(({ kind }) => !onScreen.has(kind));
  const rows = withoutPrivateNames(snapshot.activities(alone, range), rules);
  if (alone.length === timelines.length) return rows;
  const { applications, documents } = readRange(snapshot, range, rules, { documents: true });
  return [...rows, ...[...applications, ...documents].filter(({ timeline }) => ids.has(timeline.reportId))];
}
