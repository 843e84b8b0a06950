import { DAY, formatDate, startOfDay, type WallTime } from '@deskside/core/dates';
import { getOrAdd } from '@deskside/core/base';
import { aggregates, tagListNames } from '../database/aggregates.ts';
import type { Snapshot } from '../database/snapshot.ts';
import { tagsIn } from '../database/tags.ts';
import { type Activity, type LocalRange, stateOf } from '../database/model/activity.ts';
import { addTo } from '../database/model/interval.ts';
import { compareTexts } from '../database/model/text.ts';
import { aggregatesLeftOut, aggregatesUsed, notTagged } from '../database/model/notes.ts';
import { piecesIn } from './active-time.ts';
import { spansOf, type TagSpan } from './atoms.ts';
import type { Day, Source } from './days.ts';
import { countRange, type RangeRequest } from './range.ts';
import { hasRules, permittedTexts } from './privacy.ts';

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

/** A time of a day with names. */
interface DaySpan extends TagSpan {
  readonly day: WallTime;
}

function spansOfDay({ day }: Day, rows: readonly TagSpan[]): DaySpan[] {
  return spansOf(rows).map((span) => Object.assign(span, { day }));
}

/**
 * Time per tag: the rows of the Tags timelines inside the range, and the active time of activities with attached tags.
 * A second with two tags counts for both. A day without any counts with ManicTime's own totals.
 */
export function tagTotals({ snapshot, rules }: Source, { range }: RangeRequest) {
  const tracked: DaySpan[] = [];
  const active: Seconds = new Map();
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
    tracked.push(...spansOfDay(day, found));
    for (const { start, end, tags } of day.atoms) for (const tag of tags) addTo(active, tag, end - start);
  };
  const isActive = countRange({ snapshot, range, rules }, [], { each }).seconds > 0;
  const stored = storedTagTotals(snapshot, range, emptyDays);
  const days = [...new Set(stored.map(({ day }) => day))].toSorted((a, b) => a - b);
  // Nothing can be removed from ManicTime's totals.
  const isLeftOut = hasRules(rules);
  const colors = snapshot.tags.colors(snapshot.timelines);
  const found = totalsOf(range, tracked, isLeftOut ? [] : stored, active, colors);
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

/** ManicTime's own totals of some days, for the hours or days that lie in the range as a whole. */
function storedTagTotals(snapshot: Snapshot, range: LocalRange, days: ReadonlySet<WallTime>): DaySpan[] {
  if (days.size === 0) return [];
  const lists = tagListNames(snapshot.layout);
  return aggregates(snapshot, 'tagLists', range).flatMap(({ commonId, start, seconds }) => {
    const names = [...new Set(tagsIn(lists.get(commonId) ?? ''))].toSorted(compareTexts);
    const day = startOfDay(start);
    return names.length > 0 && days.has(day) ? [{ day, start: 0, end: seconds, names }] : [];
  });
}

/** Time per state of the computer: active, away, locked, off. All active time is of the active state. */
export function stateTotals(source: Source, { range }: RangeRequest) {
  const tracked: DaySpan[] = [];
  const active: Seconds = new Map();
  const colors = new Map<string, string | undefined>();
  const each = (day: Day) => {
    const states = piecesIn(day.usage, day.range).map(({ start, end, activity }) => {
      const name = stateName(activity);
      if (!colors.has(name)) colors.set(name, activity.group?.color);
      return { start, end, names: [name] };
    });
    tracked.push(...spansOfDay(day, states));
    const name = stateName(day.usage.find((row) => stateOf(row) === 'active'));
    for (const { start, end } of day.atoms) addTo(active, name, end - start);
  };
  countRange({ ...source, range }, [], { needs: 'windows', each });
  return { ...totalsOf(range, tracked, [], active, colors), notes: [] };
}

function stateName(row: Activity | undefined): string {
  return row === undefined ? 'Active' : (row.group?.name ?? row.name ?? 'Unknown');
}

/** By name. */
type Seconds = Map<string, number>;

/**
 * Adds up spans by name, by period and by combination. Longest first. Each second is in one of the combinations, so
 * they add up to the seconds of all.
 */
function totalsOf(
  { from, to }: LocalRange,
  tracked: readonly DaySpan[],
  stored: readonly DaySpan[],
  active: Seconds,
  colors: ReadonlyMap<string, string | undefined>,
) {
  const whole: Seconds = new Map();
  const combined: Seconds = new Map();
  // Rows over clock changes can place one second on two days.
  for (const { start, end, names } of [...spansOf(tracked), ...stored]) {
    for (const name of names) addTo(whole, name, end - start);
    addTo(combined, JSON.stringify(names), end - start);
  }
  const periodLength = to - from > MAX_DAYS_BY_DAY * DAY ? 7 : 10;
  const periods = new Map<string, Seconds>();
  for (const { day, start, end, names } of [...tracked, ...stored]) {
    const period = formatDate(day).slice(0, periodLength);
    for (const name of names) {
      const ofName = getOrAdd(periods, name, (): Seconds => new Map());
      addTo(ofName, period, end - start);
    }
  }
  const totals = Array.from(new Set([...whole.keys(), ...active.keys()]), (name): Total => {
    const activeSeconds = active.get(name);
    const ofName = Array.from(periods.get(name) ?? [], ([period, seconds]) => ({ period, seconds }));
    return {
      name,
      color: colors.get(name),
      seconds: whole.get(name) ?? 0,
      ...(activeSeconds === undefined ? {} : { activeSeconds }),
      periods: ofName.toSorted((a, b) => compareTexts(a.period, b.period)),
    };
  });
  const combinations = Array.from(combined, ([id, seconds]) => {
    const names: readonly string[] = JSON.parse(id);
    return { names, seconds };
  });
  return {
    totals: totals.toSorted((a, b) => b.seconds - a.seconds || compareTexts(a.name, b.name)),
    combinations: combinations.toSorted(
      (a, b) => b.seconds - a.seconds || compareTexts(a.names.join(), b.names.join()),
    ),
    seconds: combinations.reduce((sum, { seconds }) => sum + seconds, 0),
  };
}
