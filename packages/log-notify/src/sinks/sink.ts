import type { Writable } from 'node:stream';
import type { Notification } from '../notification/notification.ts';

/** Why no person sees what a sink takes. */
export type Unseen = 'not a terminal' | 'not followed' | 'do not disturb';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface TerminalStream extends Writable {
  readonly isTTY?: boolean;
}

/** A destination. It gets one delivery at a time; its queue does retries and timeouts. */
export interface Sink {
  /** Maximum number of notifications per delivery. */
  readonly batchSize: number;
  /** Time limit of one delivery. */
  readonly timeoutMs: number;
  /** How much of a message it shows, in code points. Summaries are split into messages of this length. */
  readonly maxCodePoints: number;
  /** Why the sink cannot work on this machine now; undefined if it can. Called for every notification. */
  unavailable?(): string | undefined;
  /**
   * Milliseconds for which the person wants nothing here of this caller, and without a caller of any.
   * Called for every notification.
   */
  quietMs?(caller?: string): number;
  /** Finds out what `unseen` says. Called for every notification that the sink takes. */
  look?(): Promise<void>;
  /** Why no person sees now what the sink takes; undefined if a person can. Called for every notification. */
  unseen?(): Unseen | undefined;
  /** True if the sink, or who reads it, says now what the person has seen. */
  tellsSeen?(): boolean;
  /** Resolves when nothing that it shows waits for a click. */
  clicked?(): Promise<void>;
  /**
   * @throws PartlyDelivered if only the start of the batch arrived, Undeliverable if a retry is pointless, RetryLater if
   * the receiver asks to wait, and any other error if a retry may help, also after a correction
   */
  deliver(batch: readonly Notification[], signal: AbortSignal): Promise<void>;
}

/** The sink delivered the first `count` notifications of a batch. */
export class PartlyDelivered extends Error {
  override readonly name = 'PartlyDelivered';
  readonly count: number;

  constructor(count: number, options: ErrorOptions) {
    super(options.cause instanceof Error ? options.cause.message : 'partly delivered', options);
    this.count = count;
  }
}

/** The sink rejects this batch permanently. */
export class Undeliverable extends Error {
  override readonly name = 'Undeliverable';
}

/** The receiver asks to wait before the next attempt. */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';
  readonly delayMs: number;

  constructor(message: string, delayMs: number) {
    super(message);
    this.delayMs = delayMs;
  }
}
