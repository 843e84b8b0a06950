import type { Position } from '../notification/notification.ts';

/** Toasts shown at one position at the same time. */
const MAX_VISIBLE_TOASTS = 3;
/** Toasts waiting at one position. Further ones appear in the notification center only. */
const MAX_WAITING_TOASTS = 50;

export interface Queued {
  readonly position: Position;
  readonly isError: boolean;
  /** Whether the person points at it or has focus in it: it is not displaced. */
  readonly isHeld: boolean;
  /** Urgent items (errors and persistent toasts) wait before the others. */
  readonly urgent: boolean;
}

/** The toasts of each position: first those that are visible, then those that wait. */
export class ToastQueue<Item extends Queued> {
  readonly #visible = new Map<Position, readonly Item[]>();
  readonly #waiting = new Map<Position, readonly Item[]>();

  /**
   * Adds an item, or moves one that has changed. An error is always visible: it displaces the oldest item that is not an
   * error, or else the oldest error.
   *
   * @returns the displaced item, if any; it waits before the others
   */
  place(item: Item): Item | undefined {
    const { position } = item;
    const visible = this.#visible.get(position) ?? [];
    const waiting = this.waiting(position);
    const hasRoom = visible.length < MAX_VISIBLE_TOASTS;
    if (visible.includes(item)) return undefined;
    if (!hasRoom && !item.isError) {
      this.#setWaiting(position, waiting.includes(item) ? waiting : [...waiting, item]);
      return undefined;
    }
    const free = visible.filter(({ isHeld }) => !isHeld);
    const displaced = hasRoom ? undefined : (free.find(({ isError }) => !isError) ?? free[0]);
    this.#visible.set(position, [...visible.filter((other) => other !== displaced), item]);
    const others = waiting.filter((other) => other !== item);
    this.#setWaiting(position, displaced === undefined ? others : [displaced, ...others]);
    return displaced;
  }

  /** @returns the waiting item that became visible instead, if any */
  remove(item: Item): Item | undefined {
    const { position } = item;
    const waiting = this.waiting(position).filter((other) => other !== item);
    this.#waiting.set(position, waiting);
    const visible = this.#visible.get(position) ?? [];
    if (!visible.includes(item)) return undefined;
    const [next, ...rest] = waiting;
    const others = visible.filter((other) => other !== item);
    this.#visible.set(position, next === undefined ? others : [...others, next]);
    this.#waiting.set(position, rest);
    return next;
  }

  /** @returns the removed items */
  clear(): readonly Item[] {
    const { all } = this;
    this.#visible.clear();
    this.#waiting.clear();
    return all;
  }

  /** The visible items of all positions. */
  get visible(): readonly Item[] {
    return [...this.#visible.values()].flat();
  }

  /** The visible and the waiting items of all positions. */
  get all(): readonly Item[] {
    return [...this.#visible.values(), ...this.#waiting.values()].flat();
  }

  waiting(position: Position): readonly Item[] {
    return this.#waiting.get(position) ?? [];
  }

  #setWaiting(position: Position, items: readonly Item[]): void {
    const ordered = [...items.filter(({ urgent }) => urgent), ...items.filter(({ urgent }) => !urgent)];
    this.#waiting.set(position, ordered.slice(0, MAX_WAITING_TOASTS));
  }
}
