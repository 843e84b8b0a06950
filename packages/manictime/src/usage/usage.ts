import type { WallTime } from '../time/wall-clock.ts';

/** What time is counted for. */
export type UsageSubject = 'applications' | 'websites' | 'documents';

/** Something that was used. */
export interface UsedThing {
  /** Equal for what is the same thing: two applications may share a name. */
  readonly id: string;
  readonly name: string;
  readonly color: string | undefined;
  readonly key: string | undefined;
}

/** Seconds of one thing in one hour, or on one day. */
export interface UsageRow {
  readonly thing: UsedThing;
  /** Start of the hour or day. */
  readonly period: WallTime;
  readonly seconds: number;
}

export interface Usage {
  readonly rows: readonly UsageRow[];
  /** `raw` where the sums that ManicTime keeps could not serve, and single activities were added up. */
  readonly source: 'kept sums' | 'raw';
  /** Whether the tables for those sums are missing from the database. */
  readonly lacksSums: boolean;
}

export interface UsageTotal {
  readonly thing: UsedThing;
  readonly seconds: number;
}

/** Largest first; equals by name, then by identity, so that an order never changes between two calls. */
export function totalsOf(rows: readonly UsageRow[]): UsageTotal[] {
  const totals = new Map<string, { thing: UsedThing; seconds: number }>();
  for (const { thing, seconds } of rows) {
    const total = totals.get(thing.id);
    if (total === undefined) totals.set(thing.id, { thing, seconds });
    else total.seconds += seconds;
  }
  return [...totals.values()].toSorted(largestFirst);
}

export function largestFirst(a: UsageTotal, b: UsageTotal): number {
  return b.seconds - a.seconds || compare(a.thing.name, b.thing.name) || compare(a.thing.id, b.thing.id);
}

/** Rows by what they are asked for, in the order of their first appearance. */
export function grouped<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
