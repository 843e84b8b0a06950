import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Scheduler } from '@deskside/core/base';
import { messageOf } from '@deskside/core/errors';
import type { Policy } from '../sinks/define-sink.ts';
import { createNotification, type Level, type Notification } from '../notification/notification.ts';
import { escapeLine } from '../notification/safe-text.ts';
import { PartlyDelivered, RetryLater, type Sink, Undeliverable } from '../sinks/sink.ts';
import { CircuitBreaker, requestedPauseMs } from './circuit-breaker.ts';
import { type HoldReason, Pipeline, rejectionReason } from './pipeline.ts';
import type { Item, Row, SinkRecords, Waiting } from './sink-records.ts';
import { isSummary, summarized } from './summary.ts';

const MAX_FAILURE_CODE_POINTS = 300;

/** Time until a notice of losses comes after a failed delivery, if the sink gets nothing else. */
const NOTICE_PAUSE_MS = 30_000;
const FAILED_NOTICE_PAUSE_MS = 300_000;

/** Timers are not longer than this: they stop while the machine sleeps, and the time of day can be set. */
const MAX_TIMER_MS = 60_000;

const LONGEST_PAUSE_MS = 24 * 60 * 60_000;

/** How soon a database that another process holds is read again. */
const BUSY_MS = 25;

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

export interface SinkChange extends Pick<SinkQueueOptions, 'name' | 'policy' | 'sink'> {
  readonly key: string;
  readonly origin: string | null;
}

/**
 * One sink with its pipeline, bounded queue, timeout and circuit breaker. No method throws.
 *
 * Invariant: each notification that was offered and not rejected is delivered, alone or in a summary, or is a row that
 * waits in the queue or is held, or is counted in the losses until a notice of them is delivered.
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
  /** The receiver has asked to wait: no new notification is an attempt. */
  #mustWait = false;
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

  /** The least level of what no person sees elsewhere, if it is another one. */
  get unseenLevel(): Level | undefined {
    return this.#pipeline.policy.unseenLevel;
  }

  /**
   * @param isChosen a rule names this sink, so its own level and contexts do not count
   * @param level minimum; default: that of the sink
   * @returns undefined if the notification was queued and no delivery has failed since the last that worked
   */
  offer(offered: Notification, isChosen = false, level?: Level): Reason | undefined {
    const { policy } = this.#pipeline;
    const rejection = isChosen
      ? undefined
      : rejectionReason({ ...policy, level: level ?? policy.level }, offered);
    const reason = rejection ?? (this.sink.unavailable?.() === undefined ? undefined : 'unavailable');
    if (reason !== undefined) return reason;
    const { reason: held, state, isRepeat } = this.#pipeline.offer(offered, this.#breaker.isOpen);
    if (!this.records.add(offered, state, { isRepeat })) return 'full';
    const isNewAttempt = held === undefined && this.sink.batchSize === 1;
    if (isNewAttempt && this.records.isOneFailed(this.#successes) && !this.#mustWait)
      this.#breaker.allowAttempt();
    this.wake();
    return held ?? (this.#breaker.isHealthy ? undefined : 'failing');
  }

  /** Applies a new plan. What waits stays, also if the target is another one. */
  update({ key, origin, name, policy, sink }: SinkChange): void {
    const before = this.#options.sink;
    this.records.rename(key, origin);
    this.#isPaused = false;
    this.#options = { ...this.#options, name, policy, sink };
    this.#pipeline.update(policy);
    if (before === sink) this.#breaker.allowAttempt();
    else {
      this.#breaker.succeed();
      this.#failure = undefined;
      this.#mustWait = false;
      this.#isProven = false;
      before.close?.().catch((error: unknown) => {
        this.#report(`${this.name} was not closed cleanly: ${messageOf(error)}`);
      });
    }
    this.wake();
  }

  /** Delivers nothing until the next `update`. */
  pause(): void {
    this.#isPaused = true;
    this.wake();
  }

  /** Resolves when the queue is empty or the sink fails. */
  async idle(): Promise<void> {
    await this.#until(() => !this.#isDraining && (this.#isNothingDue || !this.#breaker.isHealthy));
  }

  /** Ends a pause: the receiver may be reachable again. */
  retry(): void {
    this.#breaker.allowAttempt();
    this.wake();
  }

  /** Resolves when a delivery has worked or failed. */
  async firstOutcome(): Promise<void> {
    await this.#until(() => this.#isProven || this.#failure !== undefined);
  }

  /** Delivers the queue for at most the given time, and closes the sink. The database has what remains. */
  async close(timeoutMs: number): Promise<void> {
    if (this.#isClosing) return;
    this.#isPaused = false;
    const waiting = this.records.waiting();
    if (waiting !== undefined) this.#pipeline.releaseAtEnd(waiting, this.sink.maxCodePoints);
    this.#isClosing = true;
    this.#breaker.allowAttempt();
    this.wake();
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

  /** False too if it is not known now. */
  get #isNothingDue(): boolean {
    const waiting = this.records.waiting();
    if (waiting === undefined) return false;
    return waiting.queued === 0 || this.#dueMs(waiting) > 0;
  }

  /** Until the next attempt of what is queued. No pause is longer than a day: the time of day can be set back. */
  #dueMs({ dueAt }: Waiting): number {
    const leftMs = dueAt - this.#clock.now().getTime();
    return leftMs > LONGEST_PAUSE_MS ? 0 : Math.max(0, leftMs);
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

  /** Looks for what is due, in a later turn. */
  wake(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#isDraining || this.#isHalted) return;
    this.#isDraining = true;
    void this.#drain();
  }

  /** Milliseconds until there is something to do; undefined if nothing waits. */
  #waitMs(waiting: Waiting | undefined): number | undefined {
    if (waiting === undefined) return BUSY_MS;
    const retryMs = this.#breaker.remainingMs;
    const dueMs = this.#dueMs(waiting);
    const noticeMs = this.#isClosing ? undefined : this.#noticeWaitMs(waiting);
    const heldMs = this.#isClosing ? undefined : this.#pipeline.waitMs(waiting);
    const waits = [
      ...(waiting.queued > 0 ? [Math.max(retryMs, dueMs)] : []),
      ...(noticeMs === undefined ? [] : [Math.max(retryMs, noticeMs)]),
      ...(heldMs === undefined ? [] : [Math.max(heldMs, retryMs)]),
    ];
    return waits.length === 0 ? undefined : Math.min(...waits);
  }

  async #drain(): Promise<void> {
    // The tool's answer goes out first, and notifications of the same turn share a batch.
    await nextTurn();
    let waiting = this.records.waiting();
    let before = '';
    while (!this.#isHalted && this.#waitMs(waiting) === 0 && JSON.stringify(waiting) !== before) {
      before = (await this.#deliverNext(waiting)) ? '' : JSON.stringify(waiting);
      waiting = this.records.waiting();
    }
    this.#isDraining = false;
    this.#setTimer(waiting);
    this.#notifyWaiters();
  }

  #setTimer(waiting: Waiting | undefined): void {
    const waitMs = this.#waitMs(waiting);
    if (waitMs === undefined || this.#isHalted) return;
    const delayMs = Math.min(Math.max(waitMs, 1), MAX_TIMER_MS);
    this.#cancelTimer = this.#clock.after(delayMs, () => this.wake(), { isBackground: true });
  }

  /** @returns false if nothing was there to deliver */
  async #deliverNext(waiting: Waiting | undefined): Promise<boolean> {
    if (waiting === undefined) return false;
    if (!this.#isClosing && !this.#breaker.isOpen) {
      this.#pipeline.release(waiting, this.sink.maxCodePoints);
    }
    if (await this.#deliverNotice(waiting)) return true;
    const batch = this.#nextBatch();
    if (batch.length === 0) return false;
    try {
      await this.#deliver(batch.map(({ notification }) => notification));
      this.records.done(batch.flatMap(({ rows }) => rows));
      this.#onSuccess();
    } catch (error) {
      this.#onFailure(batch, error);
    }
    this.#notifyWaiters();
    return true;
  }

  /** What the sink gets now. A summary is one message of all its rows. */
  #nextBatch(): readonly Item[] {
    const { batchSize, maxCodePoints } = this.sink;
    const found = this.records.next(batchSize) ?? [];
    const parts = new Set<string>();
    const items = found.flatMap((row): Item[] => {
      const { part, notification } = row;
      if (part !== null && parts.has(part)) return [];
      if (part !== null) parts.add(part);
      const rows = this.#pipeline.withoutQuiet(part === null ? [row] : this.records.together(part));
      if (rows.length === 0) return [];
      if (part === null) return [{ notification, rows }];
      // If the sink shows less of a message now, the rest is the next one.
      const [first] = summarized(rows, maxCodePoints, this.#clock);
      return first === undefined ? [] : [first];
    });
    return items.toSorted((a, b) => Number(isSummary(a)) - Number(isSummary(b)));
  }

  /**
   * Reports losses before anything else to a sink that works, and after a pause to a failing one that nothing else
   * waits for. A failure of the notice itself counts nothing and pauses nothing else.
   */
  async #deliverNotice(waiting: Waiting): Promise<boolean> {
    if ((this.#noticeWaitMs(waiting) ?? Infinity) > 0) return false;
    const lost = this.records.nextNotice(this.sink.maxCodePoints);
    if (lost === undefined) return false;
    const notification = createNotification(lost.notice, this.#clock.now().getTime());
    try {
      await this.#deliver([{ ...notification, summarizes: [] }]);
      this.records.reported(lost);
      this.#onSuccess();
    } catch (error) {
      if (error instanceof Undeliverable) this.records.refused(lost);
      this.#noticeAt = this.#clock.elapsedMs() + FAILED_NOTICE_PAUSE_MS;
    }
    return true;
  }

  /** Milliseconds until a notice is due; undefined if there is nothing to report. */
  #noticeWaitMs({ lost, queued }: Waiting): number | undefined {
    if (lost === 0 || (!this.#breaker.isHealthy && queued > 0)) return undefined;
    return Math.max(0, this.#noticeAt - this.#clock.elapsedMs());
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
    this.#mustWait = false;
    this.#successes += 1;
    this.records.succeeded();
    this.#isProven = true;
    this.#breaker.succeed();
    this.#noticeAt = -Infinity;
  }

  #onFailure(batch: readonly Item[], error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    const failure = escapeLine(message, MAX_FAILURE_CODE_POINTS);
    const deliveredCount = error instanceof PartlyDelivered ? error.count : 0;
    this.records.done(batch.slice(0, deliveredCount).flatMap(({ rows }) => rows));
    const rest: readonly Row[] = batch.slice(deliveredCount).flatMap(({ rows }) => rows);
    if (error instanceof Undeliverable) {
      if (this.#failure !== failure) this.#report(`${this.name} refused a notification: ${failure}`);
      this.records.lost(rest, failure);
    } else {
      this.records.failed(rest, this.#successes, failure);
    }
    this.#failure = failure;
    this.#noticeAt = Math.max(this.#noticeAt, this.#clock.elapsedMs() + NOTICE_PAUSE_MS);
    this.#mustWait = error instanceof RetryLater && error.delayMs > 0;
    if (this.#breaker.fail(requestedPauseMs(error, this.#breaker.isLastAttempt))) {
      this.#report(`${this.name} failed repeatedly and is paused: ${failure}`);
    }
    this.#options.failed?.(rest.map(({ id }) => id));
  }
}
