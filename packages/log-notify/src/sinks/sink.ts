import type { Notification } from '../message/notification.ts';

/** Where notifications go. It does one delivery at a time; queue, time limit and retries are its lane's. */
export interface Sink {
  /** How many notifications one delivery takes at most. */
  readonly batch: number;
  /** Milliseconds one delivery may take. */
  readonly timeLimit: number;
  /** Why it can't work on this machine now; undefined where it can. Cheap: asked for every notification. */
  unavailable?(): string | undefined;
  /**
   * @throws PartlyDelivered where the first few arrived, Undeliverable where trying again is pointless, NotYet
   * where it is asked to wait, and anything else where trying again may help
   */
  deliver(batch: readonly Notification[], signal: AbortSignal): Promise<void>;
  close?(): Promise<void>;
}

/** The sink took the first `count` of a batch. */
export class PartlyDelivered extends Error {
  override readonly name = 'PartlyDelivered';
  readonly count: number;

  constructor(count: number, options: ErrorOptions) {
    super(options.cause instanceof Error ? options.cause.message : 'partly delivered', options);
    this.count = count;
  }
}

/** The sink will not take this batch, however often it is tried. */
export class Undeliverable extends Error {
  override readonly name = 'Undeliverable';
}

/** The sink asks to be left alone for a while. */
export class NotYet extends Error {
  override readonly name = 'NotYet';
  readonly milliseconds: number;

  constructor(message: string, milliseconds: number) {
    super(message);
    this.milliseconds = milliseconds;
  }
}
