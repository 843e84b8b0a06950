import { offsetAt, stamp } from './clock.ts';
import type { Span } from './day.ts';

const HOUR = 3600;

/** What ManicTime adds up itself: seconds by local hour (or day) and shared group. */
export class Sums {
  readonly #step: number;
  readonly #seconds = new Map<number, Map<number, number>>();

  /** @param step seconds of a row: an hour or a day */
  constructor(step: number) {
    this.#step = step;
  }

  add(commonId: number, { start, end }: Span): void {
    for (let from = start; from < end;) {
      const local = from + offsetAt(from);
      const to = Math.min(end, from + HOUR - (((local % HOUR) + HOUR) % HOUR));
      const period = Math.floor(local / this.#step) * this.#step;
      const sums = this.#seconds.get(period) ?? new Map<number, number>();
      this.#seconds.set(period, sums.set(commonId, (sums.get(commonId) ?? 0) + to - from));
      from = to;
    }
  }

  /** Empties it. `[time, commonId, seconds]` */
  *drain(): Generator<readonly [time: string, commonId: number, seconds: number]> {
    for (const [period, sums] of this.#seconds) {
      const time = this.#step === HOUR ? stamp(period) : stamp(period).slice(0, 10);
      for (const [commonId, seconds] of sums) yield [time, commonId, seconds];
    }
    this.#seconds.clear();
  }
}
