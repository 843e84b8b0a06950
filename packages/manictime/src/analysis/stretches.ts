import { MINUTE, type WallTime } from '@deskside/core/dates';
import { type Activity, localOf } from '../database/model/activity.ts';

/** Time without a gap of more than two minutes. */
interface Stretch {
  start: number;
  end: number;
  seconds: number;
  localStart: WallTime;
  localEnd: WallTime;
}

export interface StretchFacts {
  /** Number of stretches. */
  readonly count: number;
  /** Active seconds of the longest one. */
  readonly longest: number;
  /** Local start of the first and local end of the last; undefined without time. */
  readonly first: WallTime | undefined;
  readonly last: WallTime | undefined;
}

/** A longer gap is a break. */
export const MAX_GAP_SECONDS = 2 * MINUTE;

/** Joins disjoint times to stretches. */
export class Stretches {
  readonly #stretches: Stretch[] = [];

  /** @param activity to which the time belongs */
  add(activity: Activity, start: number, end: number): void {
    // A second that ends as the clocks change belongs to the time before.
    const localEnd = localOf(activity, end - 1) + 1;
    addTo(this.#stretches, {
      start,
      end,
      seconds: end - start,
      localStart: localOf(activity, start),
      localEnd,
    });
  }

  facts(): StretchFacts {
    const joined: Stretch[] = [];
    // With several computers, whose clocks can differ, days and so their times overlap.
    for (const stretch of this.#stretches.toSorted((a, b) => a.start - b.start))
      addTo(joined, { ...stretch });
    const longest = joined.reduce((most, { seconds }) => Math.max(most, seconds), 0);
    return { count: joined.length, longest, first: joined[0]?.localStart, last: joined.at(-1)?.localEnd };
  }
}

/** Joins a stretch with the last one if it begins in it or soon after it. */
function addTo(stretches: Stretch[], added: Stretch): void {
  const last = stretches.at(-1);
  if (last === undefined || added.start < last.start || added.start - last.end > MAX_GAP_SECONDS) {
    stretches.push(added);
    return;
  }
  last.seconds += added.seconds;
  if (added.end > last.end) [last.end, last.localEnd] = [added.end, added.localEnd];
}
