import { DAY, HOUR, type WallTime } from '@deskside/core/dates';
import type { AggregateSubject } from '../database/aggregates.ts';
import { compareTexts } from '../database/model/text.ts';
import { splitByPeriod } from './active-time.ts';
import type { Atom } from './atoms.ts';
import { Stretches } from './stretches.ts';

/** What time is counted for: an application, a website, a document. */
export interface Item {
  /** Identity: two applications may share a name. */
  readonly id: string;
  readonly name: string;
  readonly color: string | undefined;
  readonly key: string | undefined;
}

/** What ManicTime stores totals of, too. */
export type UsageSubject = Exclude<AggregateSubject, 'tagLists'>;

/** A name, or the start of a period. */
export type Value = string | number | Item;

/** What divides time. */
export interface Key {
  /** Whether one hour of an atom can have another value than the next. */
  readonly byHour?: boolean;
  /** None: the time is in no group. @param local start of the day, or of the hour */
  readonly valuesOf: (atom: Atom, local: WallTime) => readonly Value[];
  /** The value of one of ManicTime's own totals; undefined if these do not tell it. */
  readonly valueOfTotal?: (item: Item, local: WallTime) => Value;
  /** Whose totals these are. */
  readonly subject?: UsageSubject;
}

/** Time is divided by the first key, and each group by the next. */
interface Grouping {
  readonly by: readonly Key[];
  readonly where?: (atom: Atom, local: WallTime) => boolean;
  /** Whether `where` tells hours apart. */
  readonly byHour?: boolean;
  /** What has stretches. Those of many titles take much memory. */
  readonly stretches?: 'all' | 'total';
}

/** All time, or one group of it. */
export class Group {
  readonly value: Value;
  readonly stretches: Stretches | undefined;
  seconds = 0;
  /** Without a value of the next key. */
  ungrouped = 0;
  /** A year has a hundred thousand titles: those have no groups. */
  groups: Map<string | number, Group> | undefined;

  constructor(value: Value, hasStretches: boolean) {
    this.value = value;
    this.stretches = hasStretches ? new Stretches() : undefined;
  }

  get name(): string {
    return typeof this.value === 'object' ? this.value.name : String(this.value);
  }

  /** In the order in which they were found. */
  parts(): Group[] {
    return [...(this.groups?.values() ?? [])];
  }

  of(value: string | number): Group | undefined {
    return this.groups?.get(value);
  }
}

/** Adds up active time by groups. */
export class Sums {
  readonly total: Group;
  /** Which of ManicTime's own totals fit. */
  readonly subject: UsageSubject;
  readonly grain: typeof HOUR | typeof DAY;
  /** Whether ManicTime's own totals tell all that is asked. */
  readonly takesTotals: boolean;
  readonly #grouping: Grouping;
  readonly #byHour: boolean;

  constructor(grouping: Grouping) {
    const { by, where, byHour, stretches } = grouping;
    this.#grouping = grouping;
    this.#byHour = byHour === true || by.some((key) => key.byHour);
    this.subject = by.find(({ subject }) => subject !== undefined)?.subject ?? 'applications';
    this.grain = by.some((key) => key.byHour === true && key.valueOfTotal !== undefined) ? HOUR : DAY;
    this.takesTotals = where === undefined && by.every(({ valueOfTotal }) => valueOfTotal !== undefined);
    this.total = new Group('', stretches !== undefined);
  }

  /** @param day of the atom */
  add(atom: Atom, day: WallTime): void {
    if (this.#byHour) splitByPeriod(atom, HOUR, (hour, start, end) => this.#count(atom, hour, start, end));
    else this.#count(atom, day, atom.start, atom.end);
  }

  /** Adds one of ManicTime's own totals. */
  addTotal(item: Item, local: WallTime, seconds: number): void {
    let group = this.total;
    group.seconds += seconds;
    for (const { valueOfTotal } of this.#grouping.by) {
      if (valueOfTotal === undefined) return;
      group = this.#groupIn(group, valueOfTotal(item, local));
      group.seconds += seconds;
    }
  }

  #count(atom: Atom, local: WallTime, start: number, end: number): void {
    const { where } = this.#grouping;
    if (where === undefined || where(atom, local)) this.#grow(this.total, 0, atom, local, start, end);
  }

  #grow(group: Group, depth: number, atom: Atom, local: WallTime, start: number, end: number): void {
    group.seconds += end - start;
    group.stretches?.add(atom.activity, start, end);
    const key = this.#grouping.by[depth];
    if (key === undefined) return;
    const values = key.valuesOf(atom, local);
    if (values.length === 0) group.ungrouped += end - start;
    for (const value of values) this.#grow(this.#groupIn(group, value), depth + 1, atom, local, start, end);
  }

  #groupIn(group: Group, value: Value): Group {
    const groups = (group.groups ??= new Map<string | number, Group>());
    const id = typeof value === 'object' ? value.id : value;
    // A month has 30,000 atoms: without a function for each.
    let found = groups.get(id);
    if (found === undefined) groups.set(id, (found = new Group(value, this.#grouping.stretches === 'all')));
    return found;
  }
}

/** The seconds of an item in all of a range. */
export interface ItemTotal {
  readonly item: Item;
  readonly seconds: number;
}

/** The groups of items, largest first, then by name, then by id, so that the order is stable between calls. */
export function largestFirst(groups: readonly Group[]): ItemTotal[] {
  return groups
    .flatMap(({ value, seconds }) => (typeof value === 'object' ? { item: value, seconds } : []))
    .toSorted(byLength);
}

export function byLength(a: ItemTotal, b: ItemTotal): number {
  return (
    b.seconds - a.seconds || compareTexts(a.item.name, b.item.name) || compareTexts(a.item.id, b.item.id)
  );
}
