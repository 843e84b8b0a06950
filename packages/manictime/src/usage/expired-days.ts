import type { Note } from '../timeline/note.ts';
import { DAY, startOfDay, type WallTime } from '../time/wall-clock.ts';
import type { Activity, LocalRange } from '../timeline/activity.ts';
import { grouped, type UsageRow } from './usage.ts';

export const onlySumsLeft: Note = {
  degraded: true,
  reasonCode: 'ActivitiesExpired',
  remediationHint:
    "For some days only ManicTime's own sums are left: their totals are those; their segments, first and last activity are unknown.",
};

/** The days of a range without a single activity, be it that all of them were away. */
export function daysWithout(
  activities: readonly Pick<Activity, 'localStart' | 'localEnd'>[],
  { from, to }: LocalRange,
): Set<WallTime> {
  const days = new Set<WallTime>();
  for (let day = startOfDay(from); day < to; day += DAY) days.add(day);
  for (const { localStart, localEnd } of activities) {
    // The local clock may have been turned back over midnight meanwhile.
    const [first, end] = [Math.min(localStart, localEnd), Math.max(localStart + 1, localEnd)];
    for (let day = startOfDay(first); day < end; day += DAY) days.delete(day);
  }
  return days;
}

/** What ManicTime's own sums still tell of days without activities, by day. */
export function expiredDays(
  sums: readonly UsageRow[],
  empty: ReadonlySet<WallTime>,
): ReadonlyMap<WallTime, readonly UsageRow[]> {
  return grouped(
    sums.filter(({ period }) => empty.has(period)),
    ({ period }) => period,
  );
}
