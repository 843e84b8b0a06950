import type { Scheduler } from '@deskside/core/base';
import type { SinkQueue } from './sink-queue.ts';
import type { SinkRecords } from './store/sink-records.ts';

/** Errors that the person has not seen go to the next sink of their rule, one after the other. */
export interface Escalation {
  /** Of the notification. */
  readonly id: string;
  /** The sink that got it last. */
  readonly last: SinkQueue | undefined;
  /** The sinks that have not got it yet. */
  readonly next: readonly SinkQueue[];
  /** Until the first of them gets it, and until each further one. */
  readonly waitMs: number;
  readonly everyMs: number;
}

interface Waiting {
  readonly last: SinkQueue | undefined;
  readonly cancel: () => void;
  readonly pass: () => void;
}

/** Escalates what the person has not seen. */
export class Attention {
  readonly #clock: Scheduler;
  readonly #isSeen: (id: string) => Promise<boolean>;
  /** By the id of the notification. */
  readonly #waiting = new Map<string, Waiting>();

  /** @param isSeen whether the person has seen a notification, in any process */
  constructor(clock: Scheduler, isSeen: (id: string) => Promise<boolean>) {
    this.#clock = clock;
    this.#isSeen = isSeen;
  }

  escalate(escalation: Escalation): void {
    const { id, last, next, waitMs } = escalation;
    if (next.length === 0) return;
    const pass = () => {
      this.#waiting.delete(id);
      void this.#pass(escalation);
    };
    const cancel = this.#clock.after(Math.max(0, waitMs), pass, { isBackground: true });
    this.#waiting.set(id, { last, cancel, pass });
  }

  /** A sink could not deliver these: the person does not see them there. */
  failed(records: SinkRecords, ids: readonly string[]): void {
    for (const id of ids) {
      const waiting = this.#waiting.get(id);
      if (waiting?.last?.records !== records) continue;
      waiting.cancel();
      waiting.pass();
    }
  }

  /** What is escalated later stays in the spool. */
  close(): void {
    for (const { cancel } of this.#waiting.values()) cancel();
    this.#waiting.clear();
  }

  async #pass(escalation: Escalation): Promise<void> {
    const { id, next, everyMs } = escalation;
    // Without an answer, nobody says that it was seen.
    if (await this.#isSeen(id).catch(() => false)) return next.forEach(({ records }) => records.drop(id));
    const [first, ...rest] = next;
    first?.escalated(id);
    this.escalate({ ...escalation, last: first, next: rest, waitMs: everyMs });
  }
}
