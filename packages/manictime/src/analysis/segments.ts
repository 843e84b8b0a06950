import { getOrAdd } from '@deskside/core/base';
import type { WallTime } from '@deskside/core/dates';
import { type Activity, fileOf, labelOf, localOf, siteOf } from '../database/model/activity.ts';
import { addTo, type Interval } from '../database/model/interval.ts';
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
 * crosses a gap longer than `maxGap` seconds.
 *
 * @param atoms in order
 */
export function segmentsOf(atoms: readonly Atom[], maxGap: number): SegmentBuilder[] {
  const segments: SegmentBuilder[] = [];
  for (const atom of atoms) {
    const last = segments.at(-1);
    // Days are read one after the other: where the clock was set back over midnight, instants are not in order.
    const isNext =
      last !== undefined &&
      last.application === labelOf(atom.activity) &&
      last.start <= atom.start &&
      atom.start - last.end <= maxGap;
    if (isNext) last.add(atom);
    else {
      mergeBrief(segments, maxGap);
      segments.push(new SegmentBuilder(atom));
    }
  }
  mergeBrief(segments, maxGap);
  return segments;
}

/** If the last segment but one is a brief interruption, it and the last become a part of the one before. */
function mergeBrief(segments: SegmentBuilder[], maxGap: number): void {
  const [before, interruption, after] = segments.slice(-3);
  if (before === undefined || interruption === undefined || after === undefined) return;
  const isBrief =
    before.application === after.application &&
    interruption.seconds < BRIEF_SECONDS &&
    interruption.start - before.end <= maxGap &&
    after.start - interruption.end <= maxGap;
  if (!isBrief) return;
  before.absorb(interruption);
  before.absorb(after);
  segments.length -= 2;
}

/** A growing segment. */
export class SegmentBuilder {
  application: string | undefined;
  readonly start: number;
  /** Of all applications. */
  seconds = 0;
  /** Seconds of each application. */
  readonly #uses = new Map<string | undefined, number>();
  /** Of the segments that are joined. */
  readonly #parts: Atom[][] = [[]];
  readonly #first: Atom;
  #last: Atom;
  #joined = 1;

  constructor(atom: Atom) {
    this.application = labelOf(atom.activity);
    this.start = atom.start;
    this.#first = atom;
    this.#last = atom;
    this.add(atom);
  }

  get end(): number {
    return this.#last.end;
  }

  get ownSeconds(): number {
    return this.#uses.get(this.application) ?? 0;
  }

  shareOf(application: string | undefined): number {
    return (this.#uses.get(application) ?? 0) / this.seconds;
  }

  add(atom: Atom): void {
    const seconds = atom.end - atom.start;
    this.seconds += seconds;
    addTo(this.#uses, labelOf(atom.activity), seconds);
    this.#parts.at(-1)?.push(atom);
    this.#last = atom;
  }

  /** Adds the segment after this one. */
  absorb(other: SegmentBuilder): void {
    this.seconds += other.seconds;
    for (const [application, seconds] of other.#uses) addTo(this.#uses, application, seconds);
    // A year has half a million atoms, which are joined again and again.
    for (const part of other.#parts) this.#parts.push(part);
    this.#last = other.#last;
  }

  /** The same, of a segment that would be one of its own: the application that was used longest names both. */
  join(other: SegmentBuilder): void {
    this.absorb(other);
    this.#joined += other.#joined;
    for (const [application, seconds] of this.#uses)
      if (seconds > this.ownSeconds) this.application = application;
  }

  segment(): Segment {
    const seconds = this.ownSeconds;
    const atoms = this.#parts.flat();
    const own = atoms.filter(({ activity }) => labelOf(activity) === this.application);
    return {
      start: this.start,
      end: this.end,
      localStart: localOf(this.#first.activity, this.start),
      localEnd: localOf(this.#last.activity, this.end),
      seconds,
      otherSeconds: this.seconds - seconds,
      joined: this.#joined,
      application: this.application,
      ...longestOf(own),
      tags: [...new Set(atoms.flatMap(({ tags }) => tags))].toSorted(),
    };
  }
}

/** What was open together for the most seconds, the first of equals. */
function longestOf(
  atoms: readonly Atom[],
): Pick<Segment, 'title' | 'website' | 'document' | 'websiteSeconds'> {
  const combinations = new Map<string, Opened & { seconds: number }>();
  const websites = new Map<string, number>();
  for (const atom of atoms) {
    const { start, end, page } = atom;
    const opened = openedIn(atom, atom.shownPage);
    const id = Object.values(opened).join('\n');
    getOrAdd(combinations, id, () => Object.assign(opened, { seconds: 0 })).seconds += end - start;
    if (page !== undefined) addTo(websites, siteOf(page), end - start);
  }
  const [longest] = [...combinations.values()].toSorted((a, b) => b.seconds - a.seconds);
  const { title, website, document } = longest ?? {};
  const websiteSeconds = website === undefined ? 0 : (websites.get(website) ?? 0);
  return { title, website, document, websiteSeconds };
}

type Opened = Pick<Segment, 'title' | 'website' | 'document'>;

/** What was open during an atom. */
export function openedIn({ activity, file }: Atom, page: Activity | undefined): Opened {
  return {
    title: activity.name,
    website: page === undefined ? undefined : siteOf(page),
    document: file === undefined ? undefined : fileOf(file),
  };
}
