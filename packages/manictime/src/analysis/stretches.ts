import { MINUTE, type WallTime } from '@deskside/core/dates';

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

const MAX_GAP_SECONDS = 2 * MINUTE;

/** Joins disjoint times to stretches. */
export class Stretches {
  #stretches: Stretch[] = [];

  add(time: Omit<Stretch, 'seconds'>): void {
    const added = { ...time, seconds: time.end - time.start };
    const last = this.#stretches.at(-1);
    if (last === undefined || !follows(last, added)) this.#stretches.push(added);
    else extend(last, added);
  }

  facts(): StretchFacts {
    // With several computers, whose clocks can differ, days and so their times overlap.
    const sorted = this.#stretches.toSorted((a, b) => a.start - b.start);
    let count = 0;
    let longest = 0;
    let open: Stretch | undefined;
    for (const stretch of sorted) {
      if (open !== undefined && stretch.start - open.end <= MAX_GAP_SECONDS) extend(open, stretch);
      else {
        open = { ...stretch };
        count += 1;
      }
      longest = Math.max(longest, open.seconds);
    }
    return { count, longest, first: sorted[0]?.localStart, last: open?.localEnd };
  }
}

function follows(last: Stretch, next: Stretch): boolean {
  return next.start >= last.end && next.start - last.end <= MAX_GAP_SECONDS;
}

function extend(stretch: Stretch, more: Stretch): void {
  stretch.seconds += more.seconds;
  if (more.end <= stretch.end) return;
  stretch.end = more.end;
  stretch.localEnd = more.localEnd;
}
