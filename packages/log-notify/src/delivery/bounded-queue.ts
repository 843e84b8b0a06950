import { LEVELS, type Level, severity } from '../notification/notification.ts';
import { isBehind } from './attempts.ts';
import { countOf, type Item } from './held.ts';

/** Length of all messages in one queue together, in UTF-16 units. */
const MAX_TEXT_UNITS = 8 * 1024 * 1024;

/** Warnings and errors wait in a queue that is full of them until it is this many times longer. */
const IMPORTANT_FACTOR = 10;

/** What waits at a sink. If it is full, it drops the oldest infos, and warnings and errors much later. */
export class BoundedQueue {
  readonly #capacity: number;
  #items: Item[] = [];
  #textUnits = 0;
  readonly #counts: Record<Level, number> = { info: 0, warn: 0, error: 0 };

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#items.length;
  }

  /** Number of notifications, with those in summaries. */
  get total(): number {
    return this.#items.reduce((sum, item) => sum + countOf(item), 0);
  }

  /** Milliseconds until the next attempt of any item. */
  waitMs(nowMs: number): number {
    return this.#items.reduce(
      (least, { tried }) => Math.min(least, Math.max(0, (tried?.notBefore ?? 0) - nowMs)),
      Infinity,
    );
  }

  /** @returns the dropped items; the new one may be among them */
  push(newcomer: Item): readonly Item[] {
    this.#items.push(newcomer);
    this.#count(newcomer, 1);
    return this.#shrink();
  }

  /** Removes and returns the oldest items. */
  take(count: number = this.#items.length): Item[] {
    return this.#remove(0, count);
  }

  /**
   * Removes and returns the next item for a sink that takes one at a time: errors overtake infos, what has failed since
   * the last success lets the others try, and what fails while others work comes last.
   */
  takeNext(nowMs: number, successes: number): Item[] {
    let best: readonly number[] | undefined;
    let found = -1;
    this.#items.forEach(({ notification, tried }, index) => {
      if ((tried?.notBefore ?? 0) > nowMs) return;
      const rank = [
        isBehind(tried) ? 1 : 0,
        tried?.successes === successes ? 1 : 0,
        -severity(notification.level),
      ];
      if (best !== undefined && !isLess(rank, best)) return;
      best = rank;
      found = index;
    });
    return found === -1 ? [] : this.#remove(found, 1);
  }

  /**
   * Puts items that could not be delivered back to the front.
   *
   * @returns the dropped items
   */
  putBack(taken: readonly Item[]): readonly Item[] {
    this.#items = [...taken, ...this.#items];
    for (const item of taken) this.#count(item, 1);
    return this.#shrink();
  }

  #count({ notification: { level, message } }: Item, sign: 1 | -1): void {
    this.#counts[level] += sign;
    this.#textUnits += sign * message.length;
  }

  #remove(start: number, count: number): Item[] {
    const taken = this.#items.splice(start, count);
    for (const item of taken) this.#count(item, -1);
    return taken;
  }

  #shrink(): readonly Item[] {
    const dropped: Item[] = [];
    for (;;) {
      const victim = this.#victim();
      if (victim === -1) return dropped;
      dropped.push(...this.#remove(victim, 1));
    }
  }

  /** @returns the index of what has to go; -1 if everything may stay */
  #victim(): number {
    const isHeavy = this.#textUnits > MAX_TEXT_UNITS && this.size > 1;
    if (this.size <= this.#capacity && !isHeavy) return -1;
    const isLong = this.size > this.#capacity * IMPORTANT_FACTOR;
    const level = LEVELS.find((each) => this.#counts[each] > 0 && (each === 'info' || isHeavy || isLong));
    return this.#items.findIndex((each) => each.notification.level === level);
  }
}

function isLess(first: readonly number[], second: readonly number[]): boolean {
  for (const [index, value] of first.entries()) {
    const other = second[index] ?? 0;
    if (value !== other) return value < other;
  }
  return false;
}
