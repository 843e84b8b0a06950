import type { Position } from '../notification/notification.ts';

/** Toasts that one position shows at a time. */
const VISIBLE = 3;
/** Toasts that wait behind them; what comes beyond stands in the notification centre alone. */
const WAITING = 50;

export interface Placed {
  readonly position: Position;
  /** Errors, and what stays until it is dismissed, wait in front of the others. */
  readonly urgent: boolean;
}

/** Who stands where: for each position those that are shown, then those that wait. */
export class Lineup<Item extends Placed> {
  readonly #shown = new Map<Position, readonly Item[]>();
  readonly #waiting = new Map<Position, readonly Item[]>();

  /** @returns what has come into view: the item itself, or nothing where it has to wait */
  add(item: Item): Item | undefined {
    const shown = this.shown(item.position);
    if (shown.length < VISIBLE) {
      this.#shown.set(item.position, [...shown, item]);
      return item;
    }
    this.#line(item.position, [...this.waiting(item.position), item]);
    return undefined;
  }

  /** Whether it is urgent has changed. */
  reorder({ position }: Item): void {
    this.#line(position, this.waiting(position));
  }

  /** @returns what has come into view in its place */
  remove(item: Item): Item | undefined {
    const { position } = item;
    this.#waiting.set(
      position,
      this.waiting(position).filter((other) => other !== item),
    );
    const shown = this.shown(position);
    if (!shown.includes(item)) return undefined;
    const [next, ...waiting] = this.waiting(position);
    const rest = shown.filter((other) => other !== item);
    this.#shown.set(position, next === undefined ? rest : [...rest, next]);
    this.#waiting.set(position, waiting);
    return next;
  }

  shown(position: Position): readonly Item[] {
    return this.#shown.get(position) ?? [];
  }

  waiting(position: Position): readonly Item[] {
    return this.#waiting.get(position) ?? [];
  }

  find(matches: (item: Item) => boolean): Item | undefined {
    return [...this.#shown.values(), ...this.#waiting.values()].flat().find(matches);
  }

  /** All that are shown, over every position. */
  get visible(): readonly Item[] {
    return [...this.#shown.values()].flat();
  }

  /** @returns who was there */
  clear(): readonly Item[] {
    const all = [...this.#shown.values(), ...this.#waiting.values()].flat();
    this.#shown.clear();
    this.#waiting.clear();
    return all;
  }

  #line(position: Position, waiting: readonly Item[]): void {
    const inOrder = [...waiting.filter(({ urgent }) => urgent), ...waiting.filter(({ urgent }) => !urgent)];
    this.#waiting.set(position, inOrder.slice(0, WAITING));
  }
}
