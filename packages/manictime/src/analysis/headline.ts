import { DAY, formatDate, formatDateTime, type WallTime } from '@deskside/core/dates';
import { escapeInvisible, truncateCodePoints } from '@deskside/core/text';
import type { LocalRange } from '../database/model/activity.ts';
import { durationText } from '../database/model/time.ts';
import type { DayRows } from './days.ts';
import { Stretches } from './stretches.ts';
import type { UsageRow, UsageTotal } from './usage.ts';

const TOP = 3;
const MAX_NAME_CODE_POINTS = 40;

/** Says a day or several days in one sentence. */
export class Headline {
  readonly #stretches = new Stretches();
  readonly #days = new Map<WallTime, number>();
  #seconds = 0;
  /** Of single rows: only these have tags. */
  #recorded = 0;
  #tagged = 0;

  /** @param rows with atoms that are cut by tag */
  add({ day, atoms }: DayRows): void {
    let seconds = 0;
    for (const { start, end, activity, tags } of atoms) {
      this.#stretches.add(activity, start, end);
      seconds += end - start;
      if (tags.length > 0) this.#tagged += end - start;
    }
    this.#seconds += seconds;
    this.#recorded += seconds;
    if (seconds > 0) this.#days.set(day, seconds);
  }

  /** @param rows ManicTime's own totals of days of which nothing else is left */
  addStored(rows: readonly UsageRow[]): void {
    for (const { period, seconds } of rows) {
      this.#seconds += seconds;
      this.#days.set(period, (this.#days.get(period) ?? 0) + seconds);
    }
  }

  /**
   * `09:03 to 18:34, 7 h 49 min active, 4 breaks, longest stretch 1 h 52 min; Chrome 55 %, …; 21 % tagged`. Undefined without
   * active time of single rows.
   */
  text(range: LocalRange, applications: readonly UsageTotal[]): string | undefined {
    const { count, longest, first, last } = this.#stretches.facts();
    if (first === undefined || last === undefined) return undefined;
    const top = applications.slice(0, TOP).map(({ item, seconds }) => {
      return `${truncateCodePoints(escapeInvisible(item.name), MAX_NAME_CODE_POINTS)} ${this.#percent(seconds)}`;
    });
    return [
      [...this.#when(range, first, last, count), `longest stretch ${durationText(longest)}`].join(', '),
      top.join(', '),
      `${this.#percent(this.#tagged, this.#recorded)} tagged`,
    ].join('; ');
  }

  #when({ from, to }: LocalRange, first: WallTime, last: WallTime, stretches: number): readonly string[] {
    const active = `${durationText(this.#seconds)} active`;
    if (to - from <= DAY) return [`${clockOf(first)} to ${clockOf(last)}`, active, breaksText(stretches)];
    const [busiest] = [...this.#days].toSorted(([, a], [, b]) => b - a);
    return [
      `${active} on ${this.#days.size} ${this.#days.size === 1 ? 'day' : 'days'}`,
      ...(busiest === undefined ? [] : [`most on ${formatDate(busiest[0])} (${durationText(busiest[1])})`]),
    ];
  }

  #percent(seconds: number, whole = this.#seconds): string {
    return `${Math.round((seconds / whole) * 100)} %`;
  }
}

/** Between stretches: without active time for more than two minutes. */
function breaksText(stretches: number): string {
  if (stretches <= 1) return 'no break';
  return stretches === 2 ? '1 break' : `${stretches - 1} breaks`;
}

function clockOf(time: WallTime): string {
  return formatDateTime(time).slice(11, 16);
}
