import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Scheduler } from '@deskside/core/base';
import { messageOf } from '@deskside/core/errors';
import type { Policy } from '../sinks/define-sink.ts';
import { createNotification, type Notification } from '../notification/notification.ts';
import type { Losses } from '../notification/losses.ts';
import { escapeLine } from '../notification/safe-text.ts';
import { PartlyDelivered, RetryLater, type Sink, Undeliverable } from '../sinks/sink.ts';
import type { Stage } from './store/lines.ts';
import { type Item, itemOf, membersOf, type SinkRecords } from './store/sink-records.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { endOf, requestedPauseMs, triedAgain } from './attempts.ts';
import { type HoldReason, Pipeline, rejectionReason } from './pipeline.ts';

const MAX_FAILURE_CODE_POINTS = 300;

/** Time until a notice of losses comes after a failed delivery, if the sink gets nothing else. */
const NOTICE_PAUSE_MS = 30_000;
const FAILED_NOTICE_PAUSE_MS = 300_000;

/** Timers are not longer than this: they stop while the machine sleeps, and the time of day can be set. */
const MAX_TIMER_MS = 60_000;

/** Why a sink does not deliver a notification now. */
export type Reason = 'filter' | 'rule' | 'unseen' | 'level' | 'context' | 'unavailable' | 'full' | HoldReason;

export interface SinkQueueOptions {
  readonly name: string;
  /** What it has to deliver. Their key identifies the sink's target across restarts. */
  readonly records: SinkRecords;
  readonly sink: Sink;
  readonly policy: Policy;
  readonly clock: Scheduler;
  /** Receives one sentence for the log when the sink fails, and when it works again. */
  readonly report: (sentence: string) => void;
  /** A delivery of the notifications with these ids has failed. */
  readonly failed?: ((ids: readonly string[]) => void) | undefined;
}

/**
 * One sink with its pipeline, bounded queue, timeout and circuit breaker. No method throws.
 *
 * Invariant: each notification that was offered and not rejected is delivered, alone or in a summary, or waits in the
 * queue, or is held by the pipeline, or is counted in the losses until a notice of them is delivered.
 */
export class SinkQueue {
  readonly #clock: Scheduler;
  readonly records: SinkRecords;
  readonly #report: (sentence: string) => void;
  readonly #pipeline: Pipeline;
  readonly #breaker: CircuitBreaker;
  readonly #waiters = new Set<{ readonly isDone: () => boolean; readonly resolve: () => void }>();
  #options: SinkQueueOptions;
  #isDraining = false;
  #isClosing = false;
  #isClosed = false;
  #isPaused = false;
  #cancelTimer: (() => void) | undefined;
  #failure: string | undefined;
  #isProven = false;
  /** How many deliveries worked. */
  #successes = 0;
  /** The only notification that failed since the last success: the receiver may accept another one. */
  #suspect: Item['notification'] | undefined;
  #delivery: AbortController | undefined;
  /** Monotonic time of the next notice of losses. */
  #noticeAt = -Infinity;

  constructor(options: SinkQueueOptions) {
    const { clock, records, report, policy } = options;
    this.#options = options;
    this.#clock = clock;
    this.records = records;
    this.#report = report;
    this.#pipeline = new Pipeline(policy, records, clock, (caller) => this.sink.quietMs?.(caller) ?? 0);
    this.#breaker = new CircuitBreaker(clock);
  }

  get name(): string {
    return this.#options.name;
  }

  get key(): string {
    return this.records.key;
  }

  get sink(): Sink {
    return this.#options.sink;
  }

  /** Why the last delivery failed; undefined if it worked. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** True after a delivery worked, until one fails. */
  get isWorking(): boolean {
    return this.#isProven && this.#breaker.isHealthy;
  }

  /**
   * @param isChosen a rule names this sink, so its own level and contexts do not count
   * @returns undefined if the notification was queued and no delivery has failed since the last that worked
   */
  offer(offered: Notification, isChosen = false): Reason | undefined {
    const rejection = isChosen ? undefined : rejectionReason(this.#pipeline.policy, offered);
    const reason = rejection ?? (this.sink.unavailable?.() === undefined ? undefined : 'unavailable');
    if (reason !== undefined) return reason;
    const delivery = this.records.add(offered);
    const held = this.#pipeline.offer(delivery, this.#breaker.isOpen);
    delivery.stage = held === undefined ? 'queued' : 'held';
    if (held === undefined) this.records.place('queued', [itemOf(delivery)]);
    if (this.records.get(offered.id) === undefined) return 'full';
    if (held === undefined && this.#suspect !== undefined && this.sink.batchSize === 1) {
      this.#breaker.allowAttempt();
    }
    this.#wake();
    return held ?? (this.#breaker.isHealthy ? undefined : 'failing');
  }

  /** The person has not seen it in time. */
  escalated(id: string): void {
    const delivery = this.records.get(id);
    if (delivery === undefined) return;
    this.records.place('queued', [itemOf(delivery)]);
    this.#wake();
  }

  /** Takes over a notification of a server that ended before it was delivered. */
  restore(notification: Notification, stage: Exclude<Stage, 'unseen'>, attempts = 0): void {
    const waitedMs = Math.max(0, this.#clock.now().getTime() - notification.time);
    const delivery = this.records.add(notification, stage, waitedMs);
    if (attempts > 0) delivery.tried = { count: attempts, successes: 0, notBefore: 0 };
    const isHeld = stage === 'held' && this.#pipeline.offer(delivery, this.#breaker.isOpen) !== undefined;
    if (!isHeld) this.records.place('queued', [itemOf(delivery)]);
    this.#wake();
  }

  restoreLosses(losses: Losses): void {
    this.records.addLosses(losses);
    this.#wake();
  }

  /** Applies a new plan. What waits stays, also if the target is another one. */
  update({
    key,
    name,
    policy,
    sink,
  }: Pick<SinkQueueOptions, 'name' | 'policy' | 'sink'> & { readonly key: string }): void {
    const before = this.#options.sink;
    this.records.move(key);
    this.#isPaused = false;
    this.#options = { ...this.#options, name, policy, sink };
    this.#pipeline.update(policy);
    if (before === sink) this.#breaker.allowAttempt();
    else {
      this.#breaker.succeed();
      this.#failure = undefined;
      this.#suspect = undefined;
      this.#isProven = false;
      before.close?.().catch((error: unknown) => {
        this.#report(`${this.name} was not closed cleanly: ${messageOf(error)}`);
      });
    }
    this.#wake();
  }

  /** Delivers nothing until the next `update`. */
  pause(): void {
    this.#isPaused = true;
    this.#wake();
  }

  /** Resolves when the queue is empty or the sink fails. */
  async idle(): Promise<void> {
    await this.#until(() => !this.#isDraining && (this.#isNothingDue || !this.#breaker.isHealthy));
  }

  /** Ends a pause: the receiver may be reachable again. */
  retry(): void {
    this.#breaker.allowAttempt();
    this.#wake();
  }

  /** Resolves when a delivery has worked or failed. */
  async firstOutcome(): Promise<void> {
    await this.#until(() => this.#isProven || this.#failure !== undefined);
  }

  /** Delivers the queue for at most the given time, and closes the sink. The spool has what remains. */
  async close(timeoutMs: number): Promise<void> {
    if (this.#isClosing) return;
    this.#isPaused = false;
    this.records.place('queued', this.#pipeline.releaseAtEnd(this.sink.maxCodePoints));
    this.#isClosing = true;
    this.#breaker.allowAttempt();
    this.#wake();
    const timedOut = Promise.withResolvers<void>();
    const cancel = this.#clock.after(timeoutMs, timedOut.resolve);
    const finished = this.#until(() => !this.#isDraining && (this.#isNothingDue || this.#breaker.isOpen));
    await Promise.race([finished, timedOut.promise]);
    cancel();
    this.#isClosed = true;
    this.#cancelTimer?.();
    this.#delivery?.abort(new Error('no answer before the server ended'));
    await this.#until(() => !this.#isDraining);
    await this.#options.sink.close?.();
  }

  get #isHalted(): boolean {
    return this.#isClosed || this.#isPaused;
  }

  get #isNothingDue(): boolean {
    return this.records.waitMs(this.#clock.elapsedMs()) > 0;
  }

  async #until(isDone: () => boolean): Promise<void> {
    if (isDone()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiters.add({ isDone, resolve });
    await promise;
  }

  #notifyWaiters(): void {
    for (const waiter of this.#waiters) {
      if (!waiter.isDone()) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }

  /** Starts what is due, and the timer for what is due later. */
  #wake(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (!this.#isClosing && !this.#isPaused && !this.#breaker.isOpen) {
      this.records.place('queued', this.#pipeline.release(this.sink.maxCodePoints));
    }
    if (this.#isDraining || this.#isHalted) return;
    const waitMs = this.#waitMs();
    if (waitMs === undefined) return;
    if (waitMs > 0) {
      const wake = () => this.#wake();
      this.#cancelTimer = this.#clock.after(Math.min(waitMs, MAX_TIMER_MS), wake, { isBackground: true });
      return;
    }
    this.#isDraining = true;
    void this.#drain();
  }

  /** Milliseconds until there is something to do; undefined if nothing waits. */
  #waitMs(): number | undefined {
    const retryMs = this.#breaker.remainingMs;
    const noticeMs = this.#noticeWaitMs;
    const waits = [
      ...(this.records.count('queued') > 0
        ? [Math.max(retryMs, this.records.waitMs(this.#clock.elapsedMs()))]
        : []),
      ...(noticeMs === undefined || this.#isClosing ? [] : [Math.max(retryMs, noticeMs)]),
    ];
    const heldMs = this.#isClosing ? undefined : this.#pipeline.waitMs;
    if (heldMs !== undefined) waits.push(Math.max(heldMs, retryMs, 1));
    return waits.length === 0 ? undefined : Math.min(...waits);
  }

  async #drain(): Promise<void> {
    // The tool's answer goes out first, and notifications of the same turn share a batch.
    await nextTurn();
    while (!this.#isHalted && this.#breaker.remainingMs === 0 && (await this.#deliverNext()));
    this.#isDraining = false;
    this.#wake();
    this.#notifyWaiters();
  }

  /** @returns false if nothing was there to deliver */
  async #deliverNext(): Promise<boolean> {
    if (await this.#deliverNotice()) return true;
    const { sink } = this;
    this.#pipeline.holdForQuietHours();
    const nowMs = this.#clock.elapsedMs();
    const batch =
      sink.batchSize === 1
        ? this.records.takeNext(nowMs, this.#successes)
        : this.records.take('queued', sink.batchSize);
    if (batch.length === 0) return false;
    try {
      await this.#deliver(batch.map(({ notification }) => notification));
      this.records.done(membersOf(batch));
      this.#onSuccess();
    } catch (error) {
      this.#onFailure(batch, error);
    }
    this.#notifyWaiters();
    return true;
  }

  /**
   * Reports losses before anything else to a sink that works, and after a pause to a failing one that nothing else
   * waits for. A failure of the notice itself counts nothing and pauses nothing else.
   */
  async #deliverNotice(): Promise<boolean> {
    if ((this.#noticeWaitMs ?? Infinity) > 0) return false;
    if (!this.#breaker.isHealthy && this.records.count('queued') > 0) return false;
    const notice = this.records.nextNotice(this.sink.maxCodePoints);
    if (notice === undefined) return false;
    const notification = createNotification(notice, this.#clock.now().getTime());
    try {
      await this.#deliver([{ ...notification, summarizes: [] }]);
      this.records.reported();
      this.#onSuccess();
    } catch (error) {
      this.records.notReported(error instanceof Undeliverable);
      this.#noticeAt = this.#clock.elapsedMs() + FAILED_NOTICE_PAUSE_MS;
    }
    return true;
  }

  /** Milliseconds until a notice is due; undefined if there is nothing to report. */
  get #noticeWaitMs(): number | undefined {
    return this.records.losses === undefined ? undefined : this.#noticeAt - this.#clock.elapsedMs();
  }

  async #deliver(batch: readonly Notification[]): Promise<void> {
    const { timeoutMs } = this.sink;
    const controller = new AbortController();
    this.#delivery = controller;
    const { signal } = controller;
    const aborted = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => aborted.reject(signal.reason));
    const cancel = this.#clock.after(
      timeoutMs,
      () => controller.abort(new Error(`no response within ${timeoutMs} ms`)),
      { isBackground: true },
    );
    try {
      await Promise.race([this.sink.deliver(batch, signal), aborted.promise]);
    } finally {
      cancel();
      this.#delivery = undefined;
    }
  }

  #onSuccess(): void {
    if (this.#failure !== undefined) this.#report(`${this.name} works again.`);
    this.#failure = undefined;
    this.#suspect = undefined;
    this.#successes += 1;
    this.#isProven = true;
    this.#breaker.succeed();
    this.#noticeAt = -Infinity;
  }

  #onFailure(batch: readonly Item[], error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    const failure = escapeLine(message, MAX_FAILURE_CODE_POINTS);
    const deliveredCount = error instanceof PartlyDelivered ? error.count : 0;
    this.records.done(membersOf(batch.slice(0, deliveredCount)));
    const rest = batch.slice(deliveredCount);
    if (error instanceof Undeliverable) {
      if (this.#failure !== failure) this.#report(`${this.name} refused a notification: ${failure}`);
      this.records.lost(membersOf(rest), failure);
    } else {
      this.#keep(rest, failure);
    }
    this.#failure = failure;
    this.#noticeAt = Math.max(this.#noticeAt, this.#clock.elapsedMs() + NOTICE_PAUSE_MS);
    if (error instanceof RetryLater && error.delayMs > 0) this.#suspect = undefined;
    if (this.#breaker.fail(requestedPauseMs(error, this.#breaker.isLastAttempt))) {
      this.#report(`${this.name} failed repeatedly and is paused: ${failure}`);
    }
    this.#options.failed?.(membersOf(rest).map(({ notification: { id } }) => id));
  }

  /** Puts back what failed, except for what never works although the receiver accepts other notifications. */
  #keep(failed: readonly Item[], failure: string): void {
    const [first] = failed;
    if (this.#breaker.isHealthy) this.#suspect = first?.notification;
    else if (this.#suspect?.id !== first?.notification.id) this.#suspect = undefined;
    const waits: Item[] = [];
    for (const each of failed) {
      const { notification, members } = each;
      const tried = triedAgain(members[0]?.tried, this.#successes, this.#clock.elapsedMs());
      const end = endOf(tried, this.#clock.now().getTime() - notification.time);
      if (end !== undefined) this.records.lost(members, `${end}: ${failure}`);
      else {
        this.records.failed(members, tried);
        waits.push(each);
      }
    }
    this.records.putBack(waits);
  }
}
