import type { Sink } from '../sinks/sink.ts';
import type { Notification } from '../notification/notification.ts';
import type { Item } from './store/sink-records.ts';

/** How many delivered notifications a sink may still say something about. */
const MAX_ITEMS = 1000;

/** What the person has seen of a notification. */
export type SeenNotification = Pick<Notification, 'id' | 'caller'>;

/** What a sink has shown to the person: a summary has several notifications. */
export class Shown {
  readonly #shown = new Map<string, readonly SeenNotification[]>();
  #sink: Sink | undefined;

  /** True if the sink says now what the person has seen. */
  get isTold(): boolean {
    return this.#sink?.tellsSeen?.() ?? false;
  }

  /** @param options the sink, and what is called with what the person has seen there */
  listen({
    sink,
    seen,
  }: {
    readonly sink: Sink;
    readonly seen?: ((seen: readonly SeenNotification[]) => void) | undefined;
  }): void {
    this.#sink = sink;
    sink.onSeen?.((id) => {
      const shown = this.#shown.get(id);
      this.#shown.delete(id);
      if (shown !== undefined) seen?.(shown);
    });
  }

  add(delivered: readonly Item[]): void {
    // Others never say it here.
    if (this.#sink?.onSeen === undefined) return;
    for (const { notification, members } of delivered) {
      // Texts would stay in memory.
      const seen = members.map(({ notification: { id, caller } }) =>
        caller === undefined ? { id } : { id, caller },
      );
      this.#shown.set(notification.id, seen);
    }
    for (const oldest of this.#shown.keys()) {
      if (this.#shown.size <= MAX_ITEMS) break;
      this.#shown.delete(oldest);
    }
  }
}
