import type { TimeAxis } from '../database/activity-rows.ts';
import type { Snapshot } from '../database/snapshot.ts';
import type { PrivacyRules } from '../privacy/rules.ts';
import type { Interval } from '../time/intervals.ts';
import { type Activity, labelOf, type LocalRange } from '../timeline/activity.ts';
import { readRange } from '../timeline/range-rows.ts';

/** What the database knows that matters for screenshots of a range. */
export interface ScreenTimes {
  readonly axis: TimeAxis;
  /** When another window came to the front, in order. */
  readonly transitions: readonly number[];
  readonly hidden: readonly Interval[];
}

export function screenTimes(snapshot: Snapshot, range: LocalRange, rules: PrivacyRules): ScreenTimes {
  const { applications, hidden } = readRange(snapshot, range, rules);
  return { axis: snapshot.axis, hidden, transitions: transitionsOf(applications) };
}

function transitionsOf(applications: readonly Activity[]): number[] {
  return applications
    .filter((row, index) => {
      const before = applications[index - 1];
      return before !== undefined && (before.name !== row.name || labelOf(before) !== labelOf(row));
    })
    .map(({ start }) => start);
}
