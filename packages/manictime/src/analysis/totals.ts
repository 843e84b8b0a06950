import { DAY, formatDate, type WallTime } from '@deskside/core/dates';
import type { Snapshot } from '../database/snapshot.ts';
import { hasTags, tagColors, tagsOfRow } from '../database/tags.ts';
import { type Activity, type LocalRange, stateOf } from '../database/model/activity.ts';
import { compareTexts } from '../database/model/text.ts';
import { notTagged } from '../database/model/notes.ts';
import { piecesIn } from './active-time.ts';
import { spansOf, type TagSpan } from './atoms.ts';
import { type Key, Sums } from './group.ts';
import type { Day } from './days.ts';
import { group, type RangeRequest } from './range.ts';
import { permittedTexts, type PrivacyRules } from './privacy.ts';

/** Longer ranges are broken down by month instead of by day. */
const MAX_DAYS_BY_DAY = 31;

/** The time of one tag or state. Time of several rows at once counts once. */
export interface Total {
  readonly name: string;
  readonly color: string | undefined;
  readonly seconds: number;
  /** Of a tag or the active state: how much of it was active time. */
  readonly activeSeconds?: number;
  /** By day (`yyyy-MM-dd`) up to 31 days, by month (`yyyy-MM`) for longer ranges. */
  readonly periods: readonly { readonly period: string; readonly seconds: number }[];
}

/**
 * Time per tag: the rows of the Tags timelines inside the range, and the active time of activities with attached tags.
 * A second with two tags counts for both.
 */
export function tagTotals(snapshot: Snapshot, { range }: RangeRequest, rules: PrivacyRules) {
  const sums = new NamedSums(range);
  let isConcealed = false;
  const each = (day: Day) => {
    isConcealed ||= day.concealedTags.length > 0;
    const rows = piecesIn(day.tags, day.range).map(({ start, end, activity }) => {
      return { start, end, names: permittedTexts(tagsOfRow(snapshot, activity), rules) };
    });
    const atoms = day.atoms.map(({ start, end, tags }) => ({ start, end, names: tags }));
    // Tags that are attached to windows have no rows, and clocks of computers differ: a row can be of another day than the time in it.
    sums.addDay(day.day, [...rows, ...atoms]);
    for (const atom of atoms) sums.active.add(atom, day.day);
  };
  const isActive = group({ snapshot, range, rules }, [], { each }).seconds > 0;
  const found = sums.result(tagColors(snapshot));
  const isUntagged = isActive && !isConcealed && found.totals.length === 0 && hasTags(snapshot);
  return { ...found, notes: isUntagged ? [notTagged] : [] };
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
  group({ snapshot, range, rules }, [], { needs: 'windows', each });
  return { ...sums.result(colors), notes: [] };
}

function stateName(row: Activity | undefined): string {
  return row === undefined ? 'Active' : (row.group?.name ?? row.name ?? 'Unknown');
}

const nameKey: Key<TagSpan> = { valuesOf: ({ names }) => names };

/** Adds up spans by name: by period, and as a whole. */
class NamedSums {
  readonly active = new Sums<TagSpan>({ by: [nameKey] });
  /** All spans, because rows over clock changes can place one second on two days. */
  readonly #spans: TagSpan[] = [];
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

  /** Longest first, and the seconds of all, in which time with two names counts once. */
  result(colors: ReadonlyMap<string, string | undefined>) {
    const whole = new Sums<TagSpan>({ by: [nameKey] });
    for (const span of spansOf(this.#spans)) whole.add(span, 0);
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
    return {
      totals: totals.toSorted((a, b) => b.seconds - a.seconds || compareTexts(a.name, b.name)),
      seconds: whole.total.seconds,
    };
  }
}
