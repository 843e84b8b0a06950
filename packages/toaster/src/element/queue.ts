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

/** The toasts of all positions: those that are visible, and those that wait. */
export class ToastQueue<Item extends Queued> {
  #visible: readonly Item[] = [];
  #waiting: readonly Item[] = [];

  /**
   * Adds an item, or moves one that has changed. An error is always visible: it displaces the oldest item that is not an
   * error, or else the oldest error.
   *
   * @returns the displaced item, if any; it waits before the others
   */
  place(item: Item): Item | undefined {
    if (this.#visible.includes(item)) return undefined;
    const shown = at(item.position, this.#visible);
    const hasRoom = shown.length < MAX_VISIBLE_TOASTS;
    if (!hasRoom && !item.isError) {
      this.#setWaiting(this.#waiting.includes(item) ? this.#waiting : [...this.#waiting, item]);
      return undefined;
    }
    const free = shown.filter(({ isHeld }) => !isHeld);
    const displaced = hasRoom ? undefined : (free.find(({ isError }) => !isError) ?? free[0]);
    this.#visible = [...without(displaced, this.#visible), item];
    const others = without(item, this.#waiting);
    this.#setWaiting(displaced ? [displaced, ...others] : others);
    return displaced;
  }

  /** @returns the waiting item that became visible instead, if any */
  remove(item: Item): Item | undefined {
    const wasVisible = this.#visible.includes(item);
    const [next] = wasVisible ? this.waiting(item.position) : [];
    this.#visible = without(item, this.#visible);
    if (next) this.#visible = [...this.#visible, next];
    this.#waiting = without(next ?? item, this.#waiting);
    return next;
  }

  /** @returns the removed items */
  clear(): readonly Item[] {
    const { all } = this;
    this.#visible = [];
    this.#waiting = [];
    return all;
  }

  /** The visible items of all positions. */
  get visible(): readonly Item[] {
    return this.#visible;
  }

  /** The visible and the waiting items of all positions. */
  get all(): readonly Item[] {
    return [...this.#visible, ...this.#waiting];
  }

  waiting(position: Position): readonly Item[] {
    return at(position, this.#waiting);
  }

  #setWaiting(items: readonly Item[]): void {
    const ordered = items.toSorted((a, b) => Number(b.urgent) - Number(a.urgent));
    this.#waiting = ordered.filter((item) => at(item.position, ordered).indexOf(item) < MAX_WAITING_TOASTS);
  }
}

function at<Item extends Queued>(position: Position, items: readonly Item[]): readonly Item[] {
  return items.filter((item) => item.position === position);
}

function without<Item>(item: Item | undefined, items: readonly Item[]): readonly Item[] {
  return items.filter((other) => other !== item);
}
