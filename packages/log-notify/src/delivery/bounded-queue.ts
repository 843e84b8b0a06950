import type { Level } from '../notification/notification.ts';
import { countOf, type Item } from './held.ts';

/** Length of all messages in one queue together, in UTF-16 units. */
const MAX_TEXT_UNITS = 8 * 1024 * 1024;

/** First in, first out. If it is full, it drops the oldest notification of the lowest level. */
export class BoundedQueue {
  readonly #capacity: number;
  #items: Item[] = [];
  #textUnits = 0;

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

  /** @returns the dropped items; the new one may be among them */
  push(newcomer: Item): readonly Item[] {
    this.#items.push(newcomer);
    this.#textUnits += newcomer.notification.message.length;
    return this.#shrink();
  }

  /** Removes and returns the oldest items. */
  take(count: number = this.#items.length): Item[] {
    const taken = this.#items.splice(0, count);
    for (const { notification } of taken) this.#textUnits -= notification.message.length;
    return taken;
  }

  /**
   * Puts items that could not be delivered back to the front.
   *
   * @returns the dropped items
   */
  putBack(taken: readonly Item[]): readonly Item[] {
    this.#items = [...taken, ...this.#items];
    for (const { notification } of taken) this.#textUnits += notification.message.length;
    return this.#shrink();
  }

  #shrink(): readonly Item[] {
    const dropped: Item[] = [];
    while (
      this.#items.length > this.#capacity ||
      (this.#textUnits > MAX_TEXT_UNITS && this.#items.length > 1)
    ) {
      const [victim] = this.#items.splice(this.#leastImportant(), 1);
      if (victim === undefined) break;
      this.#textUnits -= victim.notification.message.length;
      dropped.push(victim);
    }
    return dropped;
  }

  #leastImportant(): number {
    const oldest = (level: Level) => this.#items.findIndex((each) => each.notification.level === level);
    const info = oldest('info');
    if (info !== -1) return info;
    return Math.max(0, oldest('warn'));
  }
}
