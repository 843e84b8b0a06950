import type { WallTime } from '@deskside/core/dates';
import type { AttachedTags } from '../database/tags.ts';
import { type Activity, labelOf, localOf, type Piece } from '../database/model/activity.ts';
import type { Interval } from '../database/model/interval.ts';
import type { Attribution } from './attribution.ts';

/** Continuous use of one application. */
export interface Segment extends Interval {
  readonly localStart: WallTime;
  readonly localEnd: WallTime;
  /** Active seconds between start and end, without away, locked and untracked time. */
  readonly seconds: number;
  readonly application: string | undefined;
  readonly color: string | undefined;
  /** The title, website and document with the most seconds. */
  readonly title: string | undefined;
  readonly website: string | undefined;
  readonly document: string | undefined;
  /** Tags attached to its activities by id, in any order. */
  readonly attachedTags: ReadonlySet<string>;
}

/** A shorter visit to another application is merged into the segment around it. */
const BRIEF_SECONDS = 30;

/**
 * Joins adjacent pieces of one application, then merges brief interruptions into the segments around them. Neither
 * crosses a gap longer than `maxGap`. Add pieces in order; segments come out in order.
 */
export class SegmentMerger {
  readonly #maxGap: number;
  readonly #attached: AttachedTags;
  readonly #done: (segment: Segment) => void;
  #growing: SegmentBuilder | undefined;
  /** The last segments: what follows may still merge with them. */
  #open: SegmentBuilder[] = [];

  /**
   * @param maxGap seconds
   * @param done gets each segment once nothing can be added to it
   */
  constructor(maxGap: number, attached: AttachedTags, done: (segment: Segment) => void) {
    this.#maxGap = maxGap;
    this.#attached = attached;
    this.#done = done;
  }

  add(piece: Piece, attribution: Attribution): void {
    if (this.#growing !== undefined && this.#isNext(this.#growing, piece)) {
      this.#growing.add(piece, attribution, this.#attached);
      return;
    }
    this.#close();
    this.#growing = new SegmentBuilder(piece);
    this.#growing.add(piece, attribution, this.#attached);
  }

  /** Call it after the last piece. */
  finish(): void {
    this.#close();
    for (const segment of this.#open) this.#done(segment.segment());
    this.#open = [];
  }

  #isNext({ application, start, end }: SegmentBuilder, piece: Piece): boolean {
    // Days are read one after the other: where the clock was set back over midnight, instants are not in order.
    return (
      application === labelOf(piece.activity) && piece.start - end <= this.#maxGap && piece.start >= start
    );
  }

  #close(): void {
    const segment = this.#growing;
    this.#growing = undefined;
    if (segment === undefined) return;
    this.#open.push(segment);
    const [before, interruption, after] = this.#open.slice(-3);
    if (before !== undefined && interruption !== undefined && after !== undefined) {
      if (this.#isBrief(before, interruption, after)) {
        before.absorb(interruption, after);
        this.#open.length -= 2;
      }
    }
    this.#report();
  }

  /** Segments stay open as long as everything after them may become a part of them as a brief interruption. */
  #report(): void {
    const last = this.#open.findLastIndex((segment, index) => {
      const before = this.#open[index - 1];
      if (before === undefined) return false;
      return segment.seconds >= BRIEF_SECONDS || segment.start - before.end > this.#maxGap;
    });
    if (last > 0) for (const segment of this.#open.splice(0, last)) this.#done(segment.segment());
  }

  #isBrief(before: SegmentBuilder, interruption: SegmentBuilder, after: SegmentBuilder): boolean {
    return (
      before.application === after.application &&
      interruption.seconds < BRIEF_SECONDS &&
      interruption.start - before.end <= this.#maxGap &&
      after.start - interruption.end <= this.#maxGap
    );
  }
}

/** A growing segment. */
class SegmentBuilder {
  readonly application: string | undefined;
  readonly start: number;
  readonly #first: Piece;
  readonly #titles = new Map<string, number>();
  readonly #websites = new Map<string, number>();
  readonly #documents = new Map<string, number>();
  readonly #tags = new Set<string>();
  #last: Piece;
  seconds = 0;

  constructor(piece: Piece) {
    this.application = labelOf(piece.activity);
    this.start = piece.start;
    this.#first = piece;
    this.#last = piece;
  }

  get end(): number {
    return this.#last.end;
  }

  add(piece: Piece, { website, document }: Attribution, attached: AttachedTags): void {
    const { start, end, activity } = piece;
    this.seconds += end - start;
    addSeconds(this.#titles, activity.name, end - start);
    addSeconds(this.#websites, website, end - start);
    addSeconds(this.#documents, document, end - start);
    if (attached !== undefined && activity.isRedacted !== true) {
      for (const tag of attached(activity.timeline.reportId, activity.activityId)) this.#tags.add(tag);
    }
    this.#last = piece;
  }

  /** Adds a segment of the same application, and the time of the interruption before it. */
  absorb({ seconds }: SegmentBuilder, after: SegmentBuilder): void {
    this.seconds += seconds + after.seconds;
    for (const [title, more] of after.#titles) addSeconds(this.#titles, title, more);
    for (const [website, more] of after.#websites) addSeconds(this.#websites, website, more);
    for (const [document, more] of after.#documents) addSeconds(this.#documents, document, more);
    for (const tag of after.#tags) this.#tags.add(tag);
    this.#last = after.#last;
  }

  segment(): Segment {
    return {
      start: this.start,
      end: this.end,
      localStart: localOf(this.#first.activity, this.start),
      localEnd: localOf(this.#last.activity, this.end),
      seconds: this.seconds,
      application: this.application,
      color: this.#first.activity.group?.color,
      title: longestOf(this.#titles),
      website: longestOf(this.#websites),
      document: longestOf(this.#documents),
      attachedTags: this.#tags,
    };
  }
}

function addSeconds(sums: Map<string, number>, name: string | undefined, seconds: number): void {
  if (name !== undefined) sums.set(name, (sums.get(name) ?? 0) + seconds);
}

/** The name with the most seconds; the first of equals. */
function longestOf(sums: ReadonlyMap<string, number>): string | undefined {
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
): string[][] {
  let next = 0;
  let near: (typeof rows)[number][] = [];
  return segments.map(({ start, end, attachedTags }) => {
    for (let row = rows[next]; row !== undefined && row.start < end; row = rows[next]) {
      near.push(row);
      next += 1;
    }
    near = near.filter((row) => row.end > start);
    return [...new Set([...near.flatMap(({ tags }) => tags), ...attachedTags])].toSorted();
  });
}
