import type { Sink } from '../sinks/sink.ts';
import type { Item } from './held.ts';

/** How many delivered notifications a sink may still say something about. */
const MAX_ITEMS = 1000;

/** What a sink has shown to the person, and which records of the spool that was: a summary has several. */
export class Shown {
  readonly #tickets = new Map<string, readonly number[]>();
  #sink: Sink | undefined;

  /** True if the sink says now what the person has seen. */
  get isTold(): boolean {
    return this.#sink?.tellsSeen?.() ?? false;
  }

  /** @param options the sink, and what is called with the records that the person has seen */
  listen({
    sink,
    seen,
  }: {
    readonly sink: Sink;
    readonly seen?: ((tickets: readonly number[]) => void) | undefined;
  }): void {
    this.#sink = sink;
    sink.onSeen?.((id) => {
      const tickets = this.#tickets.get(id);
      this.#tickets.delete(id);
      if (tickets !== undefined) seen?.(tickets);
    });
  }

  add(delivered: readonly Item[]): void {
    // Others never say it here.
    if (this.#sink?.onSeen === undefined) return;
    for (const { notification, tickets } of delivered) this.#tickets.set(notification.id, tickets);
    for (const oldest of this.#tickets.keys()) {
      if (this.#tickets.size <= MAX_ITEMS) break;
      this.#tickets.delete(oldest);
    }
  }
}
