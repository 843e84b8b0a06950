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
  #stretches: Stretch[] = [];

  /** @param activity to which the time belongs */
  add(activity: Activity, start: number, end: number): void {
    // A second that ends as the clocks change belongs to the time before.
    const localEnd = localOf(activity, end - 1) + 1;
    const last = this.#stretches.at(-1);
    if (last !== undefined && start >= last.end && start - last.end <= MAX_GAP_SECONDS) {
      last.seconds += end - start;
      last.end = end;
      last.localEnd = localEnd;
    } else {
      const seconds = end - start;
      this.#stretches.push({ start, end, seconds, localStart: localOf(activity, start), localEnd });
    }
  }

  facts(): StretchFacts {
    // With several computers, whose clocks can differ, days and so their times overlap.
    const sorted = this.#stretches.toSorted((a, b) => a.start - b.start);
    let count = 0;
    let longest = 0;
    let open: Stretch | undefined;
    for (const stretch of sorted) {
      if (open !== undefined && stretch.start - open.end <= MAX_GAP_SECONDS) {
        open.seconds += stretch.seconds;
        if (stretch.end > open.end) [open.end, open.localEnd] = [stretch.end, stretch.localEnd];
      } else {
        open = { ...stretch };
        count += 1;
      }
      longest = Math.max(longest, open.seconds);
    }
    return { count, longest, first: sorted[0]?.localStart, last: open?.localEnd };
  }
}
