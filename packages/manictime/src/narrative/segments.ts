import { type Activity, labelOf, localOf, type Piece } from '../timeline/activity.ts';
import type { Interval } from '../time/intervals.ts';
import type { WallTime } from '../time/wall-clock.ts';
import type { Seen } from './seen.ts';

/** A stretch of work in one application. */
export interface Segment extends Interval {
  readonly localStart: WallTime;
  readonly localEnd: WallTime;
  /** Active seconds in it: what was away, locked or untracked between start and end does not count. */
  readonly seconds: number;
  readonly application: string | undefined;
  /** Seconds for which each site was in front. */
  readonly websites: ReadonlyMap<string, number>;
  readonly documents: ReadonlyMap<string, number>;
  readonly activities: readonly Activity[];
}

/** Active seconds below which a window between two of one application counts as a glance away. */
const GLANCE = 30;

/** One segment a piece; `seen` has one entry for each. */
export function segmentsOf(pieces: readonly Piece[], seen: readonly Seen[]): Segment[] {
  return pieces.map((piece, index) => {
    const { start, end, activity } = piece;
    const { website, document } = seen[index] ?? {};
    return {
      start,
      end,
      localStart: localOf(activity, start),
      localEnd: localOf(activity, end),
      seconds: end - start,
      application: labelOf(activity),
      websites: new Map(website === undefined ? [] : [[website, end - start]]),
      documents: new Map(document === undefined ? [] : [[document, end - start]]),
      activities: [activity],
    };
  });
}

/**
 * Joins neighbours of one application, then takes glances at another one into the work around them. Neither
 * reaches over a longer gap than `maxGap`.
 *
 * @param maxGap seconds
 */
export function merge(segments: readonly Segment[], maxGap: number): Segment[] {
  const joined: Joining[] = [];
  for (const segment of segments) {
    const last = joined.at(-1);
    if (last !== undefined && isNext(last, segment, maxGap)) last.add(segment);
    else joined.push(new Joining(segment));
  }
  const kept: Joining[] = [];
  for (const segment of joined) {
    kept.push(segment);
    while (takesInGlance(kept, maxGap)) {
      const [after, glance] = [kept.pop(), kept.pop()];
      const before = kept.at(-1);
      if (after === undefined || glance === undefined || before === undefined) break;
      before.takeIn(glance);
      before.add(after.segment());
    }
  }
  return kept.map((segment) => segment.segment());
}

function isNext(last: Joining, next: Segment, maxGap: number): boolean {
  return last.application === next.application && next.start - last.end <= maxGap;
}

function takesInGlance(kept: readonly Joining[], maxGap: number): boolean {
  const [before, glance, after] = kept.slice(-3);
  if (before === undefined || glance === undefined || after === undefined) return false;
  return (
    before.application === after.application &&
    glance.seconds < GLANCE &&
    glance.start - before.end <= maxGap &&
    after.start - glance.end <= maxGap
  );
}

/** A segment that grows: a day has thousands of pieces and few segments. */
class Joining {
  readonly #first: Segment;
  readonly #websites: Map<string, number>;
  readonly #documents: Map<string, number>;
  readonly #activities: Activity[];
  #last: Segment;
  seconds: number;

  constructor(segment: Segment) {
    this.#first = segment;
    this.#last = segment;
    this.seconds = segment.seconds;
    this.#websites = new Map(segment.websites);
    this.#documents = new Map(segment.documents);
    this.#activities = [...segment.activities];
  }

  get application(): string | undefined {
    return this.#first.application;
  }

  get start(): number {
    return this.#first.start;
  }

  get end(): number {
    return this.#last.end;
  }

  add(next: Segment): void {
    this.takeIn(next);
    addSeconds(this.#websites, next.websites);
    addSeconds(this.#documents, next.documents);
    for (const activity of next.activities) this.#activities.push(activity);
    this.#last = next;
  }

  /** Its time, and nothing else of it. */
  takeIn({ seconds }: { readonly seconds: number }): void {
    this.seconds += seconds;
  }

  segment(): Segment {
    return {
      ...this.#first,
      end: this.#last.end,
      localEnd: this.#last.localEnd,
      seconds: this.seconds,
      websites: this.#websites,
      documents: this.#documents,
      activities: this.#activities,
    };
  }
}

function addSeconds(sums: Map<string, number>, more: ReadonlyMap<string, number>): void {
  for (const [name, seconds] of more) sums.set(name, (sums.get(name) ?? 0) + seconds);
}

/** The name with the most seconds, the first of equals. */
export function longestOf(sums: ReadonlyMap<string, number>): string | undefined {
  let found: string | undefined;
  let most = 0;
  for (const [name, seconds] of sums) {
    if (seconds <= most) continue;
    found = name;
    most = seconds;
  }
  return found;
}
