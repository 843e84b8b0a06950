import { DAY, formatDate, type WallTime } from '@deskside/core/dates';
import { type Snapshot } from '../database/snapshot.ts';
import { tagNames } from '../database/tags.ts';
import type { LocalRange, Piece } from '../database/model/activity.ts';
import { type Interval, union } from '../database/model/interval.ts';
import { piecesIn } from './active-time.ts';
import { RangeFacts, readDays } from './days.ts';
import { permittedTexts, type PrivacyRules } from './privacy.ts';

/** Longer ranges are broken down by month instead of by day. */
const MAX_DAYS_BY_DAY = 31;

/** The time of one tag or state. Time of several rows at once counts once. */
export interface Total {
  readonly name: string;
  readonly color: string | undefined;
  readonly seconds: number;
  /** By day (`yyyy-MM-dd`) up to 31 days, by month (`yyyy-MM`) for longer ranges. */
  readonly periods: readonly { readonly period: string; readonly seconds: number }[];
}

export interface Totals {
  /** Longest first. */
  readonly totals: readonly Total[];
  /** All of them together, each second once. */
  readonly seconds: number;
}

/**
 * Time per tag: the rows of the Tags timelines inside the range, and the active time of activities with attached tags.
 * A second with two tags counts for both.
 */
export function tagTotals(snapshot: Snapshot, range: LocalRange, rules: PrivacyRules): Totals {
  const counter = new TotalCounter(range);
  const facts = new RangeFacts(snapshot, range);
  for (const day of readDays(snapshot, range, rules, { tags: true })) {
    const { pieces } = facts.add(day);
    const named = (piece: Piece, names: readonly string[]) =>
      permittedTexts(names, rules).map((name) => ({ name, color: undefined, piece }));
    counter.addDay(day.day, [
      ...piecesIn(day.tags, day.range).flatMap((piece) =>
        named(piece, tagNames(piece.activity, snapshot.listedTags)),
      ),
      ...pieces.flatMap((piece) => {
        const { timeline, activityId, isRedacted } = piece.activity;
        if (isRedacted === true) return [];
        return named(piece, snapshot.attachedTags?.(timeline.reportId, activityId) ?? []);
      }),
    ]);
  }
  return counter.finish();
}

/** Time per state of the computer: active, away, locked, off. */
export function stateTotals(snapshot: Snapshot, range: LocalRange, rules: PrivacyRules): Totals {
  const counter = new TotalCounter(range);
  for (const day of readDays(snapshot, range, rules)) {
    counter.addDay(
      day.day,
      piecesIn(day.usage, day.range).map((piece) => {
        const { group, name } = piece.activity;
        return { name: group?.name ?? name ?? 'Unknown', color: group?.color, piece };
      }),
    );
  }
  return counter.finish();
}

interface NamedPiece {
  readonly name: string;
  readonly color: string | undefined;
  readonly piece: Interval;
}

class TotalCounter {
  readonly #byMonth: boolean;
  readonly #totals = new Map<string, { color: string | undefined; periods: Map<string, number> }>();
  /** All of them: rows over a clock change can place one second on two days. */
  readonly #pieces: NamedPiece[] = [];

  constructor({ from, to }: LocalRange) {
    this.#byMonth = to - from > MAX_DAYS_BY_DAY * DAY;
  }

  addDay(day: WallTime, named: readonly NamedPiece[]): void {
    const period = formatDate(day).slice(0, this.#byMonth ? 7 : 10);
    for (const [name, pieces] of Map.groupBy(named, ({ name }) => name)) {
      const total = this.#totals.get(name) ?? { color: pieces[0]?.color, periods: new Map<string, number>() };
      this.#totals.set(name, total);
      total.periods.set(period, (total.periods.get(period) ?? 0) + secondsOf(pieces));
    }
    this.#pieces.push(...named);
  }

  finish(): Totals {
    const totals = Array.from(this.#totals, ([name, { color, periods }]) => ({
      name,
      color,
      seconds: [...periods.values()].reduce((sum, seconds) => sum + seconds, 0),
      periods: Array.from(periods, ([period, seconds]) => ({ period, seconds })),
    }));
    return {
      totals: totals.toSorted((a, b) => b.seconds - a.seconds || (a.name < b.name ? -1 : 1)),
      seconds: secondsOf(this.#pieces),
    };
  }
}

function secondsOf(named: readonly NamedPiece[]): number {
  return union(named.map(({ piece }) => piece)).reduce((sum, { start, end }) => sum + end - start, 0);
}
