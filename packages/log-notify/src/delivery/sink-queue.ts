import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Scheduler } from '@deskside/core/base';
import { messageOf } from '@deskside/core/errors';
import type { Policy } from '../sinks/define-sink.ts';
import { createNotification, type Level, type Notification } from '../notification/notification.ts';
import { escapeLine } from '../notification/safe-text.ts';
import { PartlyDelivered, RetryLater, type Sink, Undeliverable } from '../sinks/sink.ts';
import { BackOff } from './back-off.ts';
import { type HoldReason, Pipeline, rejectionReason } from './pipeline.ts';
import type { Row, SinkRecords, Waiting } from './sink-records.ts';
import { type Item, summarized } from './summary.ts';
import { within } from './within.ts';

const MAX_FAILURE_CODE_POINTS = 300;

/** Time until a notice of losses comes after a failed delivery, if the sink gets nothing else. */
const NOTICE_PAUSE_MS = 30_000;
const FAILED_NOTICE_PAUSE_MS = 300_000;

/** Timers are not longer than this: they stop while the machine sleeps, and the time of day can be set. */
const MAX_TIMER_MS = 60_000;

/** How long notifications wait for a sink that has delivered nothing yet. */
const FIRST_OUTCOME_MS = 400;

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
  /** True if the person has seen a notification, in any process. */
  readonly isSeen?: ((id: string) => Promise<boolean>) | undefined;
}

export interface SinkChange extends Pick<SinkQueueOptions, 'name' | 'policy' | 'sink'> {
  readonly origin: string | null;
}

/**
 * One sink with its pipeline, queue, timeout and back-off. No method throws.
 *
 * Invariant: each notification that was offered and not rejected is delivered, alone or in a summary, or is a row that
 * waits in the queue or is held, or is counted in the losses until a notice of them is delivered.
 */
export class SinkQueue {
  readonly #clock: Scheduler;
  readonly records: SinkRecords;
  readonly #report: (sentence: string) => void;
  readonly #pipeline: Pipeline;
  readonly #backOff: BackOff;
  /** Of the present delivery or round. */
  #end = Promise.withResolvers<void>();
  #options: SinkQueueOptions;
  #isDraining = false;
  #isClosing = false;
  #isClosed = false;
  #cancelTimer: (() => void) | undefined;
  #failure: string | undefined;
  #isProven = false;
  #firstOutcome: Promise<void> | undefined;
  /** A notification has come since the last look at the queue. */
  #hasNew = false;
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
    this.#backOff = new BackOff(clock);
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

  /** The sink has got everything that it was to get by now, and the last delivery worked. */
  get isEmpty(): boolean {
    const waiting = this.records.waiting();
    return this.#failure === undefined && waiting?.queued.count === 0 && waiting.summary.count === 0;
  }

  /** True after a delivery worked, until one fails. */
  get isWorking(): boolean {
    return this.#isProven && this.#backOff.isHealthy;
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
    const hold = this.#pipeline.offer(offered, this.#backOff.isPaused);
    if (!this.records.add(offered, hold === undefined ? 'queued' : 'held', hold)) return 'full';
    this.#hasNew ||= hold === undefined;
    this.wake();
    return hold?.reason ?? (this.#backOff.isHealthy ? undefined : 'failing');
  }

  /** Applies a new plan for the same target, which may be reached in another way. What waits stays. */
  update({ origin, name, policy, sink }: SinkChange): void {
    const before = this.#options.sink;
    this.records.moveTo(origin);
    this.#options = { ...this.#options, name, policy, sink };
    this.#pipeline.update(policy);
    if (before === sink) this.#backOff.allowAttempt();
    else {
      this.#backOff.succeed();
      this.#failure = undefined;
      this.#mustWait = false;
      this.#isProven = false;
      before.close?.().catch((error: unknown) => {
        this.#report(`${this.name} was not closed cleanly: ${messageOf(error)}`);
      });
    }
    this.wake();
  }

  /** Ends the pause after failures: the receiver may be reachable again. */
  retry(): void {
    this.#backOff.allowAttempt();
    this.wake();
  }

  /** Resolves when the queue is empty or the sink fails. */
  async idle(): Promise<void> {
    await this.#until(() => !this.#isDraining && (this.#isNothingDue || !this.#backOff.isHealthy));
  }

  /** Resolves when a delivery has worked or failed, or after some time: all wait for the same end. */
  firstOutcome(): Promise<void> {
    const outcome = this.#until(() => this.#isProven || this.#failure !== undefined);
    return (this.#firstOutcome ??= within(this.#clock, FIRST_OUTCOME_MS, outcome, true));
  }

  /** Delivers the queue for at most the given time, and closes the sink. The database has what remains. */
  async close(timeoutMs: number): Promise<void> {
    if (this.#isClosing || this.#isClosed) return;
    if (timeoutMs > 0) await this.#finish(timeoutMs);
    this.#isClosed = true;
    this.#cancelTimer?.();
    this.#delivery?.abort(new Error('no answer before the server ended'));
    await this.#until(() => !this.#isDraining);
    await this.#options.sink.close?.();
  }

  async #finish(timeoutMs: number): Promise<void> {
    const waiting = this.records.waiting();
    if (waiting !== undefined) this.#pipeline.releaseAtEnd(waiting);
    this.#isClosing = true;
    this.#backOff.allowAttempt();
    this.wake();
    const finished = this.#until(() => !this.#isDraining && (this.#isNothingDue || this.#backOff.isPaused));
    await within(this.#clock, timeoutMs, finished);
  }

  /** False too if it is not known now. */
  get #isNothingDue(): boolean {
    const waiting = this.records.waiting();
    return waiting !== undefined && this.#queuedWaitMs(waiting) > 0;
  }

  async #until(isDone: () => boolean): Promise<void> {
    while (!isDone()) await this.#end.promise;
  }

  /** Something that is waited for may have happened. */
  #tell(): void {
    this.#end.resolve();
    this.#end = Promise.withResolvers();
  }

  /** Looks for what is due, in a later turn. */
  wake(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#isDraining || this.#isClosed) return;
    this.#isDraining = true;
    void this.#drain();
  }

  #untilMs(due: number): number {
    return Math.max(0, due - this.#clock.now().getTime());
  }

  #queuedWaitMs({ queued, summary }: Waiting): number {
    return this.#untilMs(Math.min(queued.due, summary.due));
  }

  /** Milliseconds until there is something to do. */
  #waitMs(waiting: Waiting | undefined): number {
    if (waiting === undefined) return BUSY_MS;
    const waits = [this.#queuedWaitMs(waiting)];
    if (!this.#isClosing) waits.push(this.#noticeWaitMs(waiting), this.#pipeline.waitMs(waiting));
    const deliveryMs = Math.max(this.#backOff.remainingMs, Math.min(...waits));
    return this.#isClosing ? deliveryMs : Math.min(deliveryMs, this.#untilMs(waiting.unseen.due));
  }

  async #drain(): Promise<void> {
    // The tool's answer goes out first, and notifications of the same turn share a batch.
    await nextTurn();
    let waiting = this.records.waiting();
    // Only one message has failed since the last success: the receiver may accept another one.
    const isNewAttempt = this.#hasNew && waiting?.failed === 1 && this.sink.batchSize === 1;
    if (isNewAttempt && !this.#mustWait) this.#backOff.allowAttempt();
    this.#hasNew = false;
    let before = '';
    while (!this.#isClosed && this.#waitMs(waiting) === 0 && JSON.stringify(waiting) !== before) {
      before = (await this.#step(waiting)) ? '' : JSON.stringify(waiting);
      waiting = this.records.waiting();
    }
    this.#isDraining = false;
    this.#setTimer(this.#waitMs(waiting));
    this.#tell();
  }

  #setTimer(waitMs: number): void {
    if (waitMs === Infinity || this.#isClosed) return;
    const delayMs = Math.min(Math.max(waitMs, 1), MAX_TIMER_MS);
    this.#cancelTimer = this.#clock.after(delayMs, () => this.wake(), { isBackground: true });
  }

  /** @returns false if nothing was there to deliver */
  async #step(waiting: Waiting | undefined): Promise<boolean> {
    if (waiting === undefined) return false;
    if (!this.#isClosing && this.#untilMs(waiting.unseen.due) === 0) await this.#passOn();
    if (this.#backOff.remainingMs > 0) return false;
    if (!this.#isClosing) this.#pipeline.release(waiting);
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
    this.#tell();
    return true;
  }

  /** The person has not seen these at the sinks before this one of their rule. */
  async #passOn(): Promise<void> {
    const { isSeen = async () => false } = this.#options;
    for (const row of this.records.unseen()) {
      // Without an answer, nobody says that it was seen.
      if (await isSeen(row.id).catch(() => false)) this.records.seen(row.id);
      else this.records.move([row], 'queued');
    }
  }

  /** What the sink gets now: of a summary as much as it shows in one message. */
  #nextBatch(): readonly Item[] {
    const { batchSize, maxCodePoints } = this.sink;
    const queued = this.#pipeline.withoutQuiet(this.records.next(batchSize));
    const held = this.#pipeline.withoutQuiet(this.records.nextSummary());
    const items = [
      ...queued.map((row) => ({ notification: row.notification, rows: [row] })),
      ...summarized(held, maxCodePoints, this.#clock).slice(0, 1),
    ];
    if (batchSize > 1) return items;
    return items.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, 1);
  }

  /**
   * Reports losses before anything else to a sink that works, and after a pause to a failing one that nothing else
   * waits for. A failure of the notice itself counts nothing and pauses nothing else.
   */
  async #deliverNotice(waiting: Waiting): Promise<boolean> {
    if (this.#noticeWaitMs(waiting) > 0) return false;
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

  /** Milliseconds until a notice is due. */
  #noticeWaitMs({ lost, queued, summary }: Waiting): number {
    const isBusy = queued.count + summary.count > 0;
    if (lost.count === 0 || (!this.#backOff.isHealthy && isBusy)) return Infinity;
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
    this.records.succeeded();
    this.#isProven = true;
    this.#backOff.succeed();
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
      this.records.failed(rest, failure);
    }
    this.#failure = failure;
    this.#noticeAt = Math.max(this.#noticeAt, this.#clock.elapsedMs() + NOTICE_PAUSE_MS);
    this.#mustWait = error instanceof RetryLater && error.delayMs > 0;
    if (this.#backOff.fail(error)) this.#report(`${this.name} failed repeatedly and is paused: ${failure}`);
    this.#options.failed?.(rest.map(({ id }) => id));
  }
}

function rankOf({ rows }: Item): number {
  return Math.min(...rows.map(({ rank }) => rank));
}
