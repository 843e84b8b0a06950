import type { Scheduler } from '@deskside/core/base';
import type { Deliveries, Delivery } from '@deskside/desktop';

/** Timers are not longer than this: they stop while the machine sleeps, and the time of day can be set. */
const MAX_TIMER_MS = 60_000;

export interface AttentionOptions {
  readonly deliveries: Deliveries;
  readonly clock: Scheduler;
  /** True if the person has seen a notification, in any process. */
  readonly isSeen: (id: string) => Promise<boolean>;
  /** The sink with this key has one more notification. */
  readonly passed: (sink: string) => void;
}

/**
 * Errors that the person has not seen go to the next sink of their rule, one after the other: rows in the state
 * `unseen`, each with its time and the sink before it.
 */
export class Attention {
  readonly #options: AttentionOptions;
  #cancel: () => void = () => undefined;
  #isPassing = false;
  #isClosed = false;

  constructor(options: AttentionOptions) {
    this.#options = options;
  }

  /** Passes on what is due, and sets the timer for what is due later. */
  look(): void {
    if (this.#isPassing) return;
    const { deliveries, clock } = this.#options;
    const nowMs = clock.now().getTime();
    const unseen = deliveries.find({ state: 'unseen' });
    // If the time of day was set back, it is not known how long it has waited.
    const due = unseen?.filter((each) => each.due <= nowMs || each.time > nowMs) ?? [];
    if (due.length > 0) {
      this.#isPassing = true;
      void this.#pass(due).finally(() => {
        this.#isPassing = this.#isClosed;
        this.look();
      });
      return;
    }
    this.#cancel();
    if (unseen?.length === 0) return;
    const waitMs = Math.min(MAX_TIMER_MS, ...(unseen ?? []).map((each) => each.due - nowMs));
    this.#cancel = clock.after(waitMs, () => this.look(), { isBackground: true });
  }

  /** A sink could not deliver these: the person does not see them there. */
  failed(sink: string, ids: readonly string[]): void {
    const { deliveries, clock } = this.#options;
    const nowMs = clock.now().getTime();
    for (const { id, due } of deliveries.find({ state: 'unseen', after: sink }) ?? []) {
      if (!ids.includes(id) || due <= nowMs) continue;
      // The next one now, and each further one as long after it as before.
      for (const each of deliveries.find({ state: 'unseen', id }) ?? []) {
        deliveries.change([each.number], { due: each.due - (due - nowMs) });
      }
      this.look();
    }
  }

  /** What is due later stays in the database. */
  close(): void {
    this.#isClosed = true;
    this.#isPassing = true;
    this.#cancel();
  }

  async #pass(due: readonly Delivery[]): Promise<void> {
    const { deliveries, isSeen, passed } = this.#options;
    for (const { number, id, sink } of due) {
      // Without an answer, nobody says that it was seen.
      if (await isSeen(id).catch(() => false)) {
        const unseen = deliveries.find({ state: 'unseen', id }) ?? [];
        deliveries.replace(unseen.map((each) => each.number));
      } else {
        deliveries.change([number], { state: 'queued', due: 0 });
        passed(sink);
      }
    }
  }
}
