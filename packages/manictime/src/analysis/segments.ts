import { getOrAdd } from '@deskside/core/base';
import type { WallTime } from '@deskside/core/dates';
import { fileOf, labelOf, localOf, siteOf } from '../database/model/activity.ts';
import type { Interval } from '../database/model/interval.ts';
import type { ShownAtom } from './atoms.ts';

/** Continuous use of one application. */
export interface Segment extends Interval {
  readonly localStart: WallTime;
  readonly localEnd: WallTime;
  /** Active seconds between start and end, without away, locked and untracked time. */
  readonly seconds: number;
  readonly application: string | undefined;
  /** The title, website and document that were open together for the most seconds. */
  readonly title: string | undefined;
  readonly website: string | undefined;
  readonly document: string | undefined;
  /** How long the website was open. It is shown a little longer. */
  readonly websiteSeconds: number;
  /** All that touch it, sorted. */
  readonly tags: readonly string[];
}

/** A shorter visit to another application is merged into the segment around it. */
const BRIEF_SECONDS = 30;

/**
 * Joins adjacent atoms of one application, then merges brief interruptions into the segments around them. Neither
 * crosses a gap longer than `maxGap`. Add atoms in order; segments come out in order.
 */
export class SegmentMerger {
  readonly #maxGap: number;
  readonly #done: (segment: SegmentBuilder) => void;
  #growing: SegmentBuilder | undefined;
  /** The last segments: what follows may still merge with them. */
  #open: SegmentBuilder[] = [];

  /**
   * @param maxGap seconds
   * @param done gets each segment once nothing can be added to it
   */
  constructor(maxGap: number, done: (segment: SegmentBuilder) => void) {
    this.#maxGap = maxGap;
    this.#done = done;
  }

  add(atom: ShownAtom): void {
    if (this.#growing !== undefined && this.#isNext(this.#growing, atom)) {
      this.#growing.add(atom);
      return;
    }
    this.#close();
    this.#growing = new SegmentBuilder(atom);
    this.#growing.add(atom);
  }

  /** Call it after the last atom. */
  finish(): void {
    this.#close();
    for (const segment of this.#open) this.#done(segment);
    this.#open = [];
  }

  #isNext({ application, start, end }: SegmentBuilder, atom: ShownAtom): boolean {
    // Days are read one after the other: where the clock was set back over midnight, instants are not in order.
    return application === labelOf(atom.activity) && atom.start - end <= this.#maxGap && atom.start >= start;
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
    if (last > 0) for (const segment of this.#open.splice(0, last)) this.#done(segment);
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

/** What was open at one time. */
interface Combination {
  readonly title: string | undefined;
  readonly website: string | undefined;
  readonly document: string | undefined;
  seconds: number;
}

const MAX_JOINED_COMBINATIONS = 20;

/** A growing segment. */
export class SegmentBuilder {
  readonly application: string | undefined;
  readonly start: number;
  readonly #first: ShownAtom;
  #combinations = new Map<string, Combination>();
  readonly #websites = new Map<string, number>();
  readonly #tags = new Set<string>();
  #last: ShownAtom;
  seconds = 0;

  constructor(atom: ShownAtom, application = labelOf(atom.activity)) {
    this.application = application;
    this.start = atom.start;
    this.#first = atom;
    this.#last = atom;
  }

  get end(): number {
    return this.#last.end;
  }

  add(atom: ShownAtom): void {
    const { start, end, activity, page, file, shownPage, tags } = atom;
    this.seconds += end - start;
    this.#addCombination({
      title: activity.name,
      website: shownPage === undefined ? undefined : siteOf(shownPage),
      document: file === undefined ? undefined : fileOf(file),
      seconds: end - start,
    });
    if (page !== undefined) this.#addWebsite(siteOf(page), end - start);
    for (const tag of tags) this.#tags.add(tag);
    this.#last = atom;
  }

  /** Adds a segment of the same application, and the time of the interruption before it. */
  absorb(interruption: SegmentBuilder, after: SegmentBuilder): void {
    this.seconds += interruption.seconds + after.seconds;
    this.#addContents(after);
    for (const tag of [...interruption.#tags, ...after.#tags]) this.#tags.add(tag);
    this.#last = after.#last;
  }

  /** This segment and those after it as one segment of an application that is among them. */
  joined(more: readonly SegmentBuilder[], application: string | undefined): SegmentBuilder {
    const joined = new SegmentBuilder(this.#first, application);
    for (const member of [this, ...more]) {
      joined.seconds += member.seconds;
      for (const tag of member.#tags) joined.#tags.add(tag);
      if (member.application === application) joined.#addContents(member);
      joined.#last = member.#last;
    }
    joined.#shorten();
    return joined;
  }

  /** Segments of hours have thousands of titles: only those that can be the longest are worth their memory. */
  #shorten(): void {
    if (this.#combinations.size <= 2 * MAX_JOINED_COMBINATIONS) return;
    const sorted = [...this.#combinations].toSorted(([, a], [, b]) => b.seconds - a.seconds);
    this.#combinations = new Map(sorted.slice(0, MAX_JOINED_COMBINATIONS));
  }

  #addContents(other: SegmentBuilder): void {
    for (const combination of other.#combinations.values()) this.#addCombination(combination);
    for (const [website, more] of other.#websites) this.#addWebsite(website, more);
  }

  #addCombination(combination: Combination): void {
    const { title, website, document, seconds } = combination;
    const id = JSON.stringify([title ?? null, website ?? null, document ?? null]);
    getOrAdd(this.#combinations, id, () => ({ ...combination, seconds: 0 })).seconds += seconds;
  }

  #addWebsite(website: string, seconds: number): void {
    this.#websites.set(website, (this.#websites.get(website) ?? 0) + seconds);
  }

  segment(): Segment {
    const { title, website, document } = this.#longest() ?? {};
    return {
      start: this.start,
      end: this.end,
      localStart: localOf(this.#first.activity, this.start),
      localEnd: localOf(this.#last.activity, this.end),
      seconds: this.seconds,
      application: this.application,
      title,
      website,
      document,
      websiteSeconds: website === undefined ? 0 : (this.#websites.get(website) ?? 0),
      tags: [...this.#tags].toSorted(),
    };
  }

  /** The first of equals. */
  #longest(): Combination | undefined {
    let found: Combination | undefined;
    for (const each of this.#combinations.values()) {
      if (found === undefined || each.seconds > found.seconds) found = each;
    }
    return found;
  }
}
