import type { Policy } from '../sinks/define-sink.ts';
import { createNotification, type Level, type Notification } from '../notification/notification.ts';
import type { Sink } from '../sinks/sink.ts';

export function sampleNotification(
  message: string,
  level: Level = 'info',
  context = 'llm',
  time = 0,
): Notification {
  return createNotification({ level, context, message }, time);
}

/** Of a configuration whose only sinks follow. */
export const NO_LOCAL_SINKS: string = ['stderr', 'file', 'desktop']
  .map((sink) => `[${sink}]\nenabled = false\n`)
  .join('');

/** A policy that passes everything. */
export const unlimitedPolicy: Policy = {
  level: 'info',
  contexts: [],
  excludeContexts: [],
  rate: undefined,
  foldMs: 0,
  digestMs: 0,
  quietHours: undefined,
};

/** A sink that stores what it gets. */
export class MemorySink implements Sink {
  readonly batchSize: number;
  readonly timeoutMs = 1000;
  readonly maxCodePoints: number;
  readonly delivered: Notification[] = [];
  attempts = 0;
  /** The first of the present batch. */
  next: Notification | undefined;
  /** Runs before each delivery; a rejection makes the delivery fail. */
  failure: (() => Promise<void>) | undefined;

  constructor(batchSize = 1000, maxCodePoints = 10_000) {
    this.maxCodePoints = maxCodePoints;
    this.batchSize = batchSize;
  }

  get messages(): string[] {
    return this.delivered.map(({ message }) => message);
  }

  async deliver(batch: readonly Notification[]): Promise<void> {
    this.attempts += 1;
    [this.next] = batch;
    await this.failure?.();
    this.delivered.push(...batch);
  }
}
