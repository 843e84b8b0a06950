import type { Scheduler } from '@deskside/core/base';
import type { Notification } from '../notification/notification.ts';
import type { SinkQueue } from './sink-queue.ts';

/** How many notifications are known by their records. */
const MAX_KNOWN = 2000;

/** The person's attention, as far as it is known. */
export interface Seeing {
  /** True if the person has seen a notification, in any process. */
  isSeen(id: string): Promise<boolean>;
  /** The person has seen it on the desktop of this process. */
  onSeen(notification: Pick<Notification, 'id' | 'caller'>): void;
}

/** Errors that the person has not seen go to the next sink of their rule, one after the other. */
export interface Escalation {
  readonly notification: Notification;
  readonly ticket: number;
  /** The sinks that have not got it yet. */
  readonly next: readonly SinkQueue[];
  /** Until the first of them gets it, and until each further one. */
  readonly waitMs: number;
  readonly everyMs: number;
}

export interface AttentionOptions {
  readonly clock: Scheduler;
  readonly seeing: Seeing;
  /** These sinks do not need it any more. */
  readonly forget: (ticket: number, sinks: readonly SinkQueue[]) => void;
}

/** Passes on what the person has seen, and escalates what not. */
export class Attention {
  readonly #options: AttentionOptions;
  readonly #known = new Map<number, Pick<Notification, 'id' | 'caller'>>();
  readonly #cancels = new Set<() => void>();

  constructor(options: AttentionOptions) {
    this.#options = options;
  }

  know(ticket: number, { id, caller }: Notification): void {
    this.#known.set(ticket, { id, ...(caller === undefined ? {} : { caller }) });
    const [oldest = ticket] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN) this.#known.delete(oldest);
  }

  readonly seen = (tickets: readonly number[]): void => {
    for (const ticket of tickets) {
      const known = this.#known.get(ticket);
      this.#known.delete(ticket);
      if (known !== undefined) this.#options.seeing.onSeen(known);
    }
  };

  escalate(escalation: Escalation): void {
    const { next, waitMs } = escalation;
    if (next.length === 0) return;
    const pass = () => {
      this.#cancels.delete(cancel);
      void this.#pass(escalation);
    };
    const cancel = this.#options.clock.after(Math.max(0, waitMs), pass, { isBackground: true });
    this.#cancels.add(cancel);
  }

  /** What is escalated later stays in the spool. */
  close(): void {
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
  }

  async #pass(escalation: Escalation): Promise<void> {
    const { notification, ticket, next, everyMs } = escalation;
    const { seeing, forget } = this.#options;
    // Without an answer, nobody says that it was seen.
    if (await seeing.isSeen(notification.id).catch(() => false)) return forget(ticket, next);
    const [first, ...rest] = next;
    first?.restore(notification, ticket, 'queued');
    this.escalate({ ...escalation, next: rest, waitMs: everyMs });
  }
}
