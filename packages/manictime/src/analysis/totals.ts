import { getOrAdd } from '@deskside/core/base';
import { DAY, formatDate, startOfDay, type WallTime } from '@deskside/core/dates';
import type { DiagnosticNote } from '@deskside/core/errors';
import { aggregates, aggregateTable, tagListNames } from '../database/aggregates.ts';
import type { Snapshot } from '../database/snapshot.ts';
import { hasTags, tagColors, tagsIn, tagsOfRow } from '../database/tags.ts';
import { type Activity, type LocalRange, stateOf } from '../database/model/activity.ts';
import { compareTexts } from '../database/model/text.ts';
import { type Interval, union } from '../database/model/interval.ts';
import { aggregatesUsed, notTagged, totalsNotFiltered } from '../database/model/notes.ts';
import { piecesIn } from './active-time.ts';
import { spansOf } from './atoms.ts';
import { readAtoms } from './prepared-days.ts';
import { hasRules, permittedTexts, type PrivacyRules } from './privacy.ts';

/** Longer ranges are broken down by month instead of by day. */
const MAX_DAYS_BY_DAY = 31;

/** The time of one tag or state. Time of several rows at once counts once. */
export interface Total {
  readonly name: string;
  readonly color: string | undefined;
  readonly seconds: number;
  /** Of a tag or the active state: how much of it was active time. ManicTime's own totals do not say. */
  readonly activeSeconds?: number;
  /** By day (`yyyy-MM-dd`) up to 31 days, by month (`yyyy-MM`) for longer ranges. */
  readonly periods: readonly { readonly period: string; readonly seconds: number }[];
}

/** The time of exactly these tags. */
export interface Combination {
  /** Sorted. */
  readonly names: readonly string[];
  readonly seconds: number;
}

export interface Totals {
  /** Longest first. */
  readonly totals: readonly Total[];
  /** Longest first. Each second is in one of them, so they add up to `seconds`. */
  readonly combinations: readonly Combination[];
  /** All totals together, each second once. */
  readonly seconds: number;
  readonly notes: readonly DiagnosticNote[];
}

/**
 * Time per tag: the rows of the Tags timelines inside the range, and the active time of activities with attached tags.
 * A second with two tags counts for both. A day without any counts with ManicTime's own totals.
 */
export function tagTotals(snapshot: Snapshot, range: LocalRange, rules: PrivacyRules): Totals {
  const counter = new TotalCounter(range);
  const emptyDays = new Set<WallTime>();
  let [isActive, isConcealed] = [false, false];
  for (const day of readAtoms(snapshot, range, rules)) {
    isActive ||= day.atoms.length > 0;
    isConcealed ||= day.concealedTags.all > 0;
    for (const { start, end, tags } of day.atoms) for (const tag of tags) counter.addActive(tag, end - start);
    const named = (piece: Interval, names: readonly string[]) =>
      permittedTexts(names, rules).map((name) => ({ name, piece }));
    const found = [
      ...piecesIn(day.tags, day.range).flatMap((piece) => named(piece, tagsOfRow(snapshot, piece.activity))),
      // Tags that are attached to windows have no rows, and clocks of computers differ: a row can be of another day than the time in it.
      ...day.atoms.flatMap((atom) => named(atom, atom.tags)),
    ];
    if (found.length === 0 && !day.isTagged) emptyDays.add(day.day);
    counter.addDay(day.day, found);
  }
  const stored = storedTagTotals(snapshot, range, emptyDays);
  const days = [...new Set(stored.map(({ day }) => day))].toSorted((a, b) => a - b);
  // Nothing can be removed from ManicTime's totals.
  const isLeftOut = hasRules(rules);
  if (!isLeftOut) for (const { day, names, seconds } of stored) counter.addStored(day, names, seconds);
  const isEmpty = isActive && !isConcealed && counter.isEmpty && hasTags(snapshot);
  // Without any total and any activity, the rows say why.
  const isNamed = days.length > 0 && (!isLeftOut || isActive || !counter.isEmpty);
  return counter.finish(
    [
      ...(isNamed ? [(isLeftOut ? totalsNotFiltered : aggregatesUsed)(days)] : []),
      ...(isEmpty ? [notTagged] : []),
    ],
    tagColors(snapshot),
  );
}

interface StoredTagTotal {
  readonly day: WallTime;
  readonly names: readonly string[];
  readonly seconds: number;
}

/** ManicTime's own totals of some days, for the hours or days that lie in the range as a whole. */
function storedTagTotals(
  snapshot: Snapshot,
  range: LocalRange,
  days: ReadonlySet<WallTime>,
): StoredTagTotal[] {
  const { database, layout } = snapshot;
  const table = aggregateTable(layout, 'TagList');
  if (table === undefined || days.size === 0) return [];
  const names = tagListNames(database, layout);
  return aggregates(snapshot, table, range).flatMap(({ commonId, start, seconds }) => {
    const tags = tagsIn(names.get(commonId) ?? '');
    const day = startOfDay(start);
    return tags.length > 0 && days.has(day) ? [{ day, names: tags, seconds }] : [];
  });
}

/** Time per state of the computer: active, away, locked, off. All active time is of the active state. */
export function stateTotals(snapshot: Snapshot, range: LocalRange, rules: PrivacyRules): Totals {
  const counter = new TotalCounter(range);
  const colors = new Map<string, string | undefined>();
  for (const day of readAtoms(snapshot, range, rules)) {
    const states = piecesIn(day.usage, day.range).map((piece) => ({
      name: stateName(piece.activity),
      piece,
    }));
    for (const { name, piece } of states)
      if (!colors.has(name)) colors.set(name, piece.activity.group?.color);
    counter.addDay(day.day, states);
    const active = day.usage.find((row) => stateOf(row) === 'active');
    for (const { start, end } of day.atoms) counter.addActive(stateName(active), end - start);
  }
  return counter.finish([], colors);
}

function stateName(row: Activity | undefined): string {
  return row === undefined ? 'Active' : (row.group?.name ?? row.name ?? 'Unknown');
}

interface NamedPiece {
  readonly name: string;
  readonly piece: Interval;
}

class TotalCounter {
  readonly #byMonth: boolean;
  /** Seconds by period. */
  readonly #totals = new Map<string, Map<string, number>>();
  /** The time of each name: rows over clock changes can place one second on two days. */
  readonly #pieces: (Interval & { readonly name: string })[] = [];
  readonly #active = new Map<string, number>();
  readonly #stored: { readonly names: readonly string[]; readonly seconds: number }[] = [];

  constructor({ from, to }: LocalRange) {
    this.#byMonth = to - from > MAX_DAYS_BY_DAY * DAY;
  }

  get isEmpty(): boolean {
    return this.#totals.size === 0;
  }

  addDay(day: WallTime, named: readonly NamedPiece[]): void {
    for (const [name, pieces] of Map.groupBy(named, ({ name }) => name)) {
      const joined = union(pieces.map(({ piece }) => piece));
      this.#add(name, day, lengthOf(joined));
      for (const { start, end } of joined) this.#pieces.push({ start, end, name });
    }
  }

  addActive(name: string, seconds: number): void {
    if (!this.#totals.has(name)) this.#totals.set(name, new Map());
    this.#active.set(name, (this.#active.get(name) ?? 0) + seconds);
  }

  addStored(day: WallTime, names: readonly string[], seconds: number): void {
    for (const name of new Set(names)) this.#add(name, day, seconds);
    this.#stored.push({ names, seconds });
  }

  #add(name: string, day: WallTime, seconds: number): void {
    const period = formatDate(day).slice(0, this.#byMonth ? 7 : 10);
    const periods = getOrAdd(this.#totals, name, () => new Map<string, number>());
    periods.set(period, (periods.get(period) ?? 0) + seconds);
  }

  finish(notes: readonly DiagnosticNote[], colors: ReadonlyMap<string, string | undefined>): Totals {
    const pieces = Map.groupBy(this.#pieces, ({ name }) => name);
    const totals = Array.from(this.#totals, ([name, periods]) => ({
      name,
      color: colors.get(name),
      seconds: lengthOf(union(pieces.get(name) ?? [])) + this.#storedSeconds(name),
      ...(this.#active.has(name) ? { activeSeconds: this.#active.get(name) ?? 0 } : {}),
      periods: Array.from(periods, ([period, seconds]) => ({ period, seconds })).toSorted((a, b) =>
        compareTexts(a.period, b.period),
      ),
    }));
    const combinations = this.#combinations();
    return {
      totals: totals.toSorted((a, b) => b.seconds - a.seconds || compareTexts(a.name, b.name)),
      combinations,
      seconds: combinations.reduce((sum, { seconds }) => sum + seconds, 0),
      notes,
    };
  }

  #storedSeconds(name: string): number {
    return this.#stored
      .filter(({ names }) => names.includes(name))
      .reduce((sum, { seconds }) => sum + seconds, 0);
  }

  #combinations(): Combination[] {
    const found = new Map<string, { names: readonly string[]; seconds: number }>();
    const count = (names: readonly string[], seconds: number) => {
      const sorted = [...new Set(names)].toSorted(compareTexts);
      const id = JSON.stringify(sorted);
      getOrAdd(found, id, () => ({ names: sorted, seconds: 0 })).seconds += seconds;
    };
    const spans = spansOf(this.#pieces.map(({ start, end, name }) => ({ start, end, names: [name] })));
    for (const { start, end, names } of spans) count(names, end - start);
    for (const { names, seconds } of this.#stored) count(names, seconds);
    return [...found.values()].toSorted(
      (a, b) => b.seconds - a.seconds || compareTexts(a.names.join(), b.names.join()),
    );
  }
}

function lengthOf(intervals: readonly Interval[]): number {
  return intervals.reduce((sum, { start, end }) => sum + end - start, 0);
}
