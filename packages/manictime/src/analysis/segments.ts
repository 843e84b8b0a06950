import type { WallTime } from '@deskside/core/dates';
import type { AttachedTags } from '../database/tags.ts';
import { type Activity, labelOf, localOf, type Piece } from '../model/activity.ts';
import type { Interval } from '../model/interval.ts';
import type { Attribution } from './attribution.ts';

/** Continuous use of one application. */
export interface Segment extends Interval {
  readonly localStart: WallTime;
  readonly localEnd: WallTime;
  /** Active seconds between start and end, without away, locked and untracked time. */
  readonly seconds: number;
  readonly application: string | undefined;
  /** Active seconds per website. */
  readonly websites: ReadonlyMap<string, number>;
  readonly documents: ReadonlyMap<string, number>;
  readonly activities: readonly Activity[];
}

/** A shorter visit to another application is merged into the segment around it. */
const BRIEF_SECONDS = 30;

/** One segment per piece. `attributions` has one entry per piece. */
export function segmentsOf(pieces: readonly Piece[], attributions: readonly Attribution[]): Segment[] {
  return pieces.map((piece, index) => {
    const { start, end, activity } = piece;
    const { website, document } = attributions[index] ?? {};
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
 * Joins adjacent segments of one application, then merges brief interruptions into the segments around them.
 * Neither crosses a gap longer than `maxGap`.
 *
 * @param maxGap seconds
 */
export function merge(segments: readonly Segment[], maxGap: number): Segment[] {
  const joined: SegmentBuilder[] = [];
  for (const segment of segments) {
    const last = joined.at(-1);
    if (last !== undefined && isNext(last, segment, maxGap)) last.add(segment);
    else joined.push(new SegmentBuilder(segment));
  }
  const merged: SegmentBuilder[] = [];
  for (const segment of joined) {
    merged.push(segment);
    while (endsWithBriefInterruption(merged, maxGap)) {
      const [after, interruption] = [merged.pop(), merged.pop()];
      const before = merged.at(-1);
      if (after === undefined || interruption === undefined || before === undefined) break;
      before.absorb(interruption);
      before.add(after.segment());
    }
  }
  return merged.map((segment) => segment.segment());
}

function isNext(last: SegmentBuilder, next: Segment, maxGap: number): boolean {
  return last.application === next.application && next.start - last.end <= maxGap;
}

function endsWithBriefInterruption(segments: readonly SegmentBuilder[], maxGap: number): boolean {
  const [before, interruption, after] = segments.slice(-3);
  if (before === undefined || interruption === undefined || after === undefined) return false;
  return (
    before.application === after.application &&
    interruption.seconds < BRIEF_SECONDS &&
    interruption.start - before.end <= maxGap &&
    after.start - interruption.end <= maxGap
  );
}

/** A growing segment: a day has thousands of pieces and few segments. */
class SegmentBuilder {
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
    this.absorb(next);
    addSeconds(this.#websites, next.websites);
    addSeconds(this.#documents, next.documents);
    for (const activity of next.activities) this.#activities.push(activity);
    this.#last = next;
  }

  /** Adds the time of an interruption without its documents and websites. */
  absorb({ seconds }: { readonly seconds: number }): void {
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

/** The name with the most seconds; the first of equals. */
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

/**
 * The tags of each segment, sorted, without duplicates: tags attached to its activities, and overlapping rows of
 * the Tags timeline.
 *
 * @param rows of the Tags timelines, sorted by start
 */
export function tagsOf(
  segments: readonly Segment[],
  rows: readonly (Activity & { readonly tags: readonly string[] })[],
  attached: AttachedTags,
): string[][] {
  let next = 0;
  let near: (typeof rows)[number][] = [];
  return segments.map(({ start, end, activities }) => {
    for (let row = rows[next]; row !== undefined && row.start < end; row = rows[next]) {
      near.push(row);
      next += 1;
    }
    near = near.filter((row) => row.end > start);
    const names = new Set(near.flatMap(({ tags }) => tags));
    if (attached !== undefined) {
      for (const { timeline, activityId, isRedacted } of activities) {
        if (isRedacted === true) continue;
        for (const name of attached(timeline.reportId, activityId)) names.add(name);
      }
    }
    return [...names].toSorted();
  });
}
