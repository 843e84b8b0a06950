import type { Notification } from '../message/notification.ts';
import type { Sink } from '../sinks/sink.ts';

/** Keeps what it is told; fails where it is told to. */
export class MemorySink implements Sink {
  readonly batch: number;
  readonly timeLimit = 1000;
  readonly taken: Notification[] = [];
  deliveries = 0;
  /** What the next deliveries do instead of succeeding. */
  failure: (() => Promise<void>) | undefined;

  constructor(batch = 1000) {
    this.batch = batch;
  }

  get messages(): string[] {
    return this.taken.map(({ message }) => message);
  }

  async deliver(batch: readonly Notification[]): Promise<void> {
    this.deliveries += 1;
    await this.failure?.();
    this.taken.push(...batch);
  }
}
