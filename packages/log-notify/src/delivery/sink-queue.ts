import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Policy } from '../config/plan.ts';
import { type Level, type Notification, createNotification } from '../notification/notification.ts';
import { escapeLine } from '../notification/safe-text.ts';
import { PartlyDelivered, RetryLater, type Sink, Undeliverable } from '../sinks/sink.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import type { Clock } from './clock.ts';
import { Counter, OWN_CONTEXT } from './summaries.ts';
import { type Reason, Throttle, rejectionReason } from './throttle.ts';

/** Length of all messages in one queue together, in UTF-16 units. */
const MAX_TEXT_UNITS = 8 * 1024 * 1024;

const MAX_FAILURE_CODE_POINTS = 300;

export interface SinkQueueOptions {
  readonly name: string;
  readonly sink: Sink;
  readonly policy: Policy;
  readonly clock: Clock;
  /** Receives one sentence for the log when the sink fails repeatedly, and when it works again. */
  readonly report: (sentence: string) => void;
}

/** One sink with its throttle, bounded queue, timeout and circuit breaker. No method throws. */
export class SinkQueue {
  readonly name: string;
  readonly #sink: Sink;
  readonly #policy: Policy;
  readonly #clock: Clock;
  readonly #report: (sentence: string) => void;
  readonly #throttle: Throttle;
  readonly #pending: BoundedQueue;
  readonly #breaker: CircuitBreaker;
  readonly #lost = new Counter();
  readonly #idleWaiters = new Set<() => void>();
  #isDraining = false;
  #isClosing = false;
  #cancelRetry: (() => void) | undefined;
  #failure: string | undefined;

  constructor({ name, sink, policy, clock, report }: SinkQueueOptions) {
    this.name = name;
    this.#sink = sink;
    this.#policy = policy;
    this.#clock = clock;
    this.#report = report;
    this.#pending = new BoundedQueue(policy.queueLength);
    this.#breaker = new CircuitBreaker(clock);
    this.#throttle = new Throttle(policy, clock, (summary) => this.#enqueue(summary));
  }

  /** @returns undefined if the notification was queued and the last delivery worked */
  offer(offered: Notification): Reason | undefined {
    const reason =
      rejectionReason(this.#policy, offered) ?? this.#unavailable() ?? this.#throttle.pass(offered);
    if (reason !== undefined) return reason;
    if (this.#breaker.isOpen && offered.level !== 'error') {
      this.#lost.add(offered);
      return 'failing';
    }
    if (!this.#enqueue(offered)) return 'full';
    return this.#breaker.isHealthy ? undefined : 'failing';
  }

  /** Why the last delivery failed; undefined if it worked. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Resolves when the queue is empty or the sink fails. */
  async idle(): Promise<void> {
    if (!this.#isBusy) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#idleWaiters.add(resolve);
    await promise;
  }

  /** Releases the summaries, delivers the queue for at most the given time, and closes the sink. */
  async close(timeoutMs: number): Promise<void> {
    if (this.#isClosing) return;
    this.#throttle.flush();
    this.#isClosing = true;
    const timedOut = Promise.withResolvers<void>();
    const cancel = this.#clock.startBlockingTimer(timeoutMs, timedOut.resolve);
    await Promise.race([this.idle(), timedOut.promise]);
    cancel();
    this.#cancelRetry?.();
    await this.#sink.close?.();
  }

  get #isBusy(): boolean {
    return this.#isDraining || (this.#pending.size > 0 && !this.#breaker.isOpen);
  }

  #unavailable(): Reason | undefined {
    return this.#sink.unavailable?.() === undefined ? undefined : 'unavailable';
  }

  #enqueue(newcomer: Notification): boolean {
    const dropped = this.#pending.push(newcomer);
    for (const each of dropped) this.#lost.add(each);
    this.#startDraining();
    return !dropped.includes(newcomer);
  }

  #startDraining(): void {
    if (this.#isDraining || this.#cancelRetry !== undefined || this.#pending.size === 0) return;
    this.#isDraining = true;
    void this.#drain();
  }

  async #drain(): Promise<void> {
    // The tool's answer goes out first, and notifications of the same turn share a batch.
    await nextTurn();
    await this.#deliverPending();
    this.#isDraining = false;
    // A notification may have arrived after the last check.
    this.#startDraining();
    for (const resolve of this.#isBusy ? [] : this.#idleWaiters) resolve();
  }

  async #deliverPending(): Promise<void> {
    while (this.#pending.size > 0) {
      const batch = this.#nextBatch();
      try {
        await this.#deliver(batch);
        this.#onSuccess();
      } catch (error) {
        this.#onFailure(batch, error);
        if (!this.#breaker.isHealthy) return;
      }
    }
  }

  async #deliver(batch: readonly Notification[]): Promise<void> {
    const { timeoutMs } = this.#sink;
    const controller = new AbortController();
    const timedOut = Promise.withResolvers<never>();
    const cancel = this.#clock.startTimer(timeoutMs, () => {
      const error = new Error(`no response within ${timeoutMs} ms`);
      controller.abort(error);
      timedOut.reject(error);
    });
    try {
      await Promise.race([this.#sink.deliver(batch, controller.signal), timedOut.promise]);
    } finally {
      cancel();
    }
  }

  #onSuccess(): void {
    if (this.#failure !== undefined) this.#report(`${this.name} works again.`);
    this.#failure = undefined;
    this.#breaker.succeed();
  }

  /** The report of lost notifications comes before later notifications. */
  #nextBatch(): readonly Notification[] {
    if (this.#lost.total === 0) return this.#pending.take(this.#sink.batchSize);
    const { subject, counts, latest } = this.#lost;
    const message = `${subject} lost (${counts}). Latest: ${latest}`;
    this.#lost.clear();
    const summary = createNotification({ level: 'warn', context: OWN_CONTEXT, message }, this.#clock.now());
    return [summary, ...this.#pending.take(this.#sink.batchSize - 1)];
  }

  #onFailure(batch: readonly Notification[], error: unknown): void {
    this.#failure = escapeLine(
      error instanceof Error ? error.message : String(error),
      MAX_FAILURE_CODE_POINTS,
    );
    const deliveredCount = error instanceof PartlyDelivered ? error.count : 0;
    const rest = batch.slice(deliveredCount);
    const dropped = error instanceof Undeliverable ? rest : this.#pending.putBack(rest);
    for (const each of dropped) this.#lost.add(each);
    if (this.#breaker.fail(error instanceof RetryLater ? error.delayMs : 0)) {
      this.#report(`${this.name} failed repeatedly and is paused: ${this.#failure}`);
    }
    this.#cancelRetry = this.#clock.startTimer(this.#breaker.remainingMs, () => {
      this.#cancelRetry = undefined;
      this.#startDraining();
    });
  }
}

/** First in, first out. If it is full, it drops the oldest notification of the lowest level. */
class BoundedQueue {
  readonly #capacity: number;
  #items: Notification[] = [];
  #textUnits = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#items.length;
  }

  /** @returns the dropped notifications; the new one may be among them */
  push(newcomer: Notification): readonly Notification[] {
    this.#items.push(newcomer);
    this.#textUnits += newcomer.message.length;
    return this.#shrink();
  }

  /** Removes and returns the oldest notifications. */
  take(count: number): Notification[] {
    const taken = this.#items.splice(0, count);
    for (const { message } of taken) this.#textUnits -= message.length;
    return taken;
  }

  /**
   * Puts notifications that could not be delivered back to the front.
   *
   * @returns the dropped notifications
   */
  putBack(taken: readonly Notification[]): readonly Notification[] {
    this.#items = [...taken, ...this.#items];
    for (const { message } of taken) this.#textUnits += message.length;
    return this.#shrink();
  }

  #shrink(): readonly Notification[] {
    const dropped: Notification[] = [];
    while (
      this.#items.length > this.#capacity ||
      (this.#textUnits > MAX_TEXT_UNITS && this.#items.length > 1)
    ) {
      const [victim] = this.#items.splice(this.#leastImportant(), 1);
      if (victim === undefined) break;
      this.#textUnits -= victim.message.length;
      dropped.push(victim);
    }
    return dropped;
  }

  #leastImportant(): number {
    const oldest = (level: Level) => this.#items.findIndex((each) => each.level === level);
    const info = oldest('info');
    if (info !== -1) return info;
    return Math.max(0, oldest('warn'));
  }
}
