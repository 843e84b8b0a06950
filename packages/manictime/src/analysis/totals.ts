import { DAY, formatDate, startOfDay, type WallTime } from '@deskside/core/dates';
import { aggregates, tagListNames } from '../database/aggregates.ts';
import type { Snapshot } from '../database/snapshot.ts';
import { tagsIn } from '../database/tags.ts';
import { type Activity, type LocalRange, stateOf } from '../database/model/activity.ts';
import { compareTexts } from '../database/model/text.ts';
import { aggregatesLeftOut, aggregatesUsed, notTagged } from '../database/model/notes.ts';
import { piecesIn } from './active-time.ts';
import { spansOf, type TagSpan } from './atoms.ts';
import { type Key, Sums } from './group.ts';
import type { Day } from './days.ts';
import { countRange, type RangeRequest } from './range.ts';
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

/**
 * Time per tag: the rows of the Tags timelines inside the range, and the active time of activities with attached tags.
 * A second with two tags counts for both. A day without any counts with ManicTime's own totals.
 */
export function tagTotals(snapshot: Snapshot, { range }: RangeRequest, rules: PrivacyRules) {
  const sums = new NamedSums(range);
  const emptyDays = new Set<WallTime>();
  let isConcealed = false;
  const each = (day: Day) => {
    isConcealed ||= day.concealedTags.length > 0;
    const found = [
      ...piecesIn(day.tags, day.range).map(({ start, end, activity }) => {
        return { start, end, names: permittedTexts(snapshot.tags.of(activity), rules) };
      }),
      // Tags that are attached to windows have no rows, and clocks of computers differ: a row can be of another day than the time in it.
      ...day.atoms.map(({ start, end, tags }) => ({ start, end, names: tags })),
    ].filter(({ names }) => names.length > 0);
    if (found.length === 0 && !day.isTagged) emptyDays.add(day.day);
    sums.addDay(day.day, found);
    for (const { start, end, tags } of day.atoms) sums.active.add({ start, end, names: tags }, day.day);
  };
  const isActive = countRange({ snapshot, range, rules }, [], { each }).seconds > 0;
  const stored = storedTagTotals(snapshot, range, emptyDays);
  const days = [...new Set(stored.map(({ day }) => day))].toSorted((a, b) => a - b);
  // Nothing can be removed from ManicTime's totals.
  const isLeftOut = hasRules(rules);
  if (!isLeftOut) for (const { day, names, seconds } of stored) sums.addStored(day, names, seconds);
  const found = sums.result(snapshot.tags.colors(snapshot.timelines));
  const isEmpty = found.totals.length === 0;
  // Without any total and any activity, the rows say why.
  const isNamed = days.length > 0 && (!isLeftOut || isActive || !isEmpty);
  return {
    ...found,
    notes: [
      ...(isNamed ? [(isLeftOut ? aggregatesLeftOut : aggregatesUsed)(days)] : []),
      ...(isActive && !isConcealed && isEmpty && snapshot.tags.exist(snapshot.timelines) ? [notTagged] : []),
    ],
  };
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
  if (days.size === 0) return [];
  const names = tagListNames(snapshot.layout);
  return aggregates(snapshot, 'tagLists', range).flatMap(({ commonId, start, seconds }) => {
    const tags = tagsIn(names.get(commonId) ?? '');
    const day = startOfDay(start);
    return tags.length > 0 && days.has(day) ? [{ day, names: tags, seconds }] : [];
  });
}

/** Time per state of the computer: active, away, locked, off. All active time is of the active state. */
export function stateTotals(snapshot: Snapshot, { range }: RangeRequest, rules: PrivacyRules) {
  const sums = new NamedSums(range);
  const colors = new Map<string, string | undefined>();
  const each = (day: Day) => {
    const states = piecesIn(day.usage, day.range).map(({ start, end, activity }) => {
      const name = stateName(activity);
      if (!colors.has(name)) colors.set(name, activity.group?.color);
      return { start, end, names: [name] };
    });
    sums.addDay(day.day, states);
    const names = [stateName(day.usage.find((row) => stateOf(row) === 'active'))];
    for (const { start, end } of day.atoms) sums.active.add({ start, end, names }, day.day);
  };
  countRange({ snapshot, range, rules }, [], { needs: 'windows', each });
  return { ...sums.result(colors), notes: [] };
}

function stateName(row: Activity | undefined): string {
  return row === undefined ? 'Active' : (row.group?.name ?? row.name ?? 'Unknown');
}

const nameKey: Key<TagSpan> = { valuesOf: ({ names }) => names };
/** The names are sorted. */
const combinationKey: Key<TagSpan> = { valuesOf: ({ names }) => [JSON.stringify(names)] };

/** Adds up spans by name: by period, as a whole, and by combination. */
class NamedSums {
  readonly active = new Sums<TagSpan>({ by: [nameKey] });
  /** All spans, because rows over clock changes can place one second on two days. */
  readonly #spans: TagSpan[] = [];
  readonly #stored: TagSpan[] = [];
  readonly #periods: Sums<TagSpan>;

  constructor({ from, to }: LocalRange) {
    const length = to - from > MAX_DAYS_BY_DAY * DAY ? 7 : 10;
    const periodKey = { valuesOf: (_: TagSpan, local: WallTime) => [formatDate(local).slice(0, length)] };
    this.#periods = new Sums({ by: [nameKey, periodKey] });
  }

  addDay(day: WallTime, spans: readonly TagSpan[]): void {
    for (const span of spansOf(spans)) {
      this.#periods.add(span, day);
      this.#spans.push(span);
    }
  }

  addStored(day: WallTime, names: readonly string[], seconds: number): void {
    const span = { start: 0, end: seconds, names: [...new Set(names)].toSorted(compareTexts) };
    this.#periods.add(span, day);
    this.#stored.push(span);
  }

  /** Longest first. Each second is in one of the combinations, so they add up to the seconds of all. */
  result(colors: ReadonlyMap<string, string | undefined>) {
    const whole = new Sums<TagSpan>({ by: [nameKey] });
    const combined = new Sums<TagSpan>({ by: [combinationKey] });
    for (const span of [...spansOf(this.#spans), ...this.#stored])
      for (const sums of [whole, combined]) sums.add(span, 0);
    const names = new Set([whole, this.active].flatMap(({ total }) => total.parts().map(({ name }) => name)));
    const totals = Array.from(names, (name): Total => {
      const active = this.active.total.of(name);
      const periods = this.#periods.total.of(name)?.parts() ?? [];
      return {
        name,
        color: colors.get(name),
        seconds: whole.total.of(name)?.seconds ?? 0,
        ...(active === undefined ? {} : { activeSeconds: active.seconds }),
        periods: periods
          .map((each) => ({ period: each.name, seconds: each.seconds }))
          .toSorted((a, b) => compareTexts(a.period, b.period)),
      };
    });
    const combinations = combined.total.parts().map(({ name, seconds }) => {
      const names: readonly string[] = JSON.parse(name);
      return { names, seconds };
    });
    return {
      totals: totals.toSorted((a, b) => b.seconds - a.seconds || compareTexts(a.name, b.name)),
      combinations: combinations.toSorted(
        (a, b) => b.seconds - a.seconds || compareTexts(a.names.join(), b.names.join()),
      ),
      seconds: combined.total.seconds,
    };
  }
}
