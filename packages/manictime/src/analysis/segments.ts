import { getOrAdd } from '@deskside/core/base';
import type { WallTime } from '@deskside/core/dates';
import { fileOf, labelOf, localOf, siteOf } from '../database/model/activity.ts';
import type { Interval } from '../database/model/interval.ts';
import type { Atom } from './atoms.ts';

/** Continuous use of one application. */
export interface Segment extends Interval {
  readonly localStart: WallTime;
  readonly localEnd: WallTime;
  /** Active seconds of the application between start and end. */
  readonly seconds: number;
  /** Those of other applications: brief interruptions, and visits that are joined with it. */
  readonly otherSeconds: number;
  /** How many segments are joined to this one, with itself. */
  readonly joined: number;
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

  add(atom: Atom): void {
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

  #isNext({ application, start, end }: SegmentBuilder, atom: Atom): boolean {
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
        before.absorb(interruption);
        before.absorb(after);
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

/** Of the application that names a joined segment, and of the others in it. */
const MAX_OWN_COMBINATIONS = 10;
const MAX_OTHER_COMBINATIONS = 2;

/** The time of one application in a segment, and what was open in it. */
class Use {
  seconds = 0;
  #combinations = new Map<string, Combination>();
  readonly #websites = new Map<string, number>();

  add({ start, end, activity, page, file, shownPage }: Atom): void {
    this.seconds += end - start;
    this.#addCombination({
      title: activity.name,
      website: shownPage === undefined ? undefined : siteOf(shownPage),
      document: file === undefined ? undefined : fileOf(file),
      seconds: end - start,
    });
    if (page !== undefined) this.#addWebsite(siteOf(page), end - start);
  }

  addAll(other: Use): void {
    this.seconds += other.seconds;
    for (const combination of other.#combinations.values()) this.#addCombination(combination);
    for (const [website, more] of other.#websites) this.#addWebsite(website, more);
  }

  /** Segments of hours have thousands of titles: only those that can be the longest are worth their memory. */
  shorten(most: number): void {
    if (this.#combinations.size <= 2 * most) return;
    const sorted = [...this.#combinations].toSorted(([, a], [, b]) => b.seconds - a.seconds);
    this.#combinations = new Map(sorted.slice(0, most));
  }

  /** What was open for the most seconds, the first of equals. */
  longest(): Pick<Segment, 'title' | 'website' | 'document' | 'websiteSeconds'> {
    let found: Combination | undefined;
    for (const each of this.#combinations.values())
      if (found === undefined || each.seconds > found.seconds) found = each;
    const { title, website, document } = found ?? {};
    const websiteSeconds = website === undefined ? 0 : (this.#websites.get(website) ?? 0);
    return { title, website, document, websiteSeconds };
  }

  #addCombination(combination: Combination): void {
    const { title, website, document, seconds } = combination;
    const id = JSON.stringify([title ?? null, website ?? null, document ?? null]);
    getOrAdd(this.#combinations, id, () => ({ ...combination, seconds: 0 })).seconds += seconds;
  }

  #addWebsite(website: string, seconds: number): void {
    this.#websites.set(website, (this.#websites.get(website) ?? 0) + seconds);
  }
}

/** A growing segment. */
export class SegmentBuilder {
  application: string | undefined;
  readonly start: number;
  readonly #first: Atom;
  readonly #uses = new Map<string | undefined, Use>();
  readonly #tags = new Set<string>();
  #last: Atom;
  #joined = 1;
  /** Of all applications. */
  seconds = 0;

  constructor(atom: Atom) {
    this.application = labelOf(atom.activity);
    this.start = atom.start;
    this.#first = atom;
    this.#last = atom;
  }

  get end(): number {
    return this.#last.end;
  }

  get ownSeconds(): number {
    return this.#uses.get(this.application)?.seconds ?? 0;
  }

  shareOf(application: string | undefined): number {
    return (this.#uses.get(application)?.seconds ?? 0) / this.seconds;
  }

  add(atom: Atom): void {
    this.seconds += atom.end - atom.start;
    getOrAdd(this.#uses, labelOf(atom.activity), () => new Use()).add(atom);
    for (const tag of atom.tags) this.#tags.add(tag);
    this.#last = atom;
  }

  /** Adds the segment after this one. */
  absorb(other: SegmentBuilder): void {
    this.seconds += other.seconds;
    for (const [application, use] of other.#uses)
      getOrAdd(this.#uses, application, () => new Use()).addAll(use);
    for (const tag of other.#tags) this.#tags.add(tag);
    this.#last = other.#last;
  }

  /** The same, of a segment that would be one of its own: the application that was used longest names both. */
  join(other: SegmentBuilder): void {
    this.absorb(other);
    this.#joined += other.#joined;
    for (const [application, { seconds }] of this.#uses)
      if (seconds > this.ownSeconds) this.application = application;
  }

  shorten(): void {
    for (const [application, use] of this.#uses)
      use.shorten(application === this.application ? MAX_OWN_COMBINATIONS : MAX_OTHER_COMBINATIONS);
  }

  segment(): Segment {
    const seconds = this.ownSeconds;
    const opened = this.#uses.get(this.application)?.longest();
    return {
      start: this.start,
      end: this.end,
      localStart: localOf(this.#first.activity, this.start),
      localEnd: localOf(this.#last.activity, this.end),
      seconds,
      otherSeconds: this.seconds - seconds,
      joined: this.#joined,
      application: this.application,
      ...(opened ?? { title: undefined, website: undefined, document: undefined, websiteSeconds: 0 }),
      tags: [...this.#tags].toSorted(),
    };
  }
}
