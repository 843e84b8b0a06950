import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Scheduler } from '@deskside/core/base';
import { messageOf } from '@deskside/core/errors';
import type { SinkPlan } from '../config/plan.ts';
import type { Notification } from '../notification/notification.ts';
import { escapeLine } from '../notification/safe-text.ts';
import { summaryOf } from '../notification/summary.ts';
import { PartlyDelivered, RetryLater, type Sink, Undeliverable } from '../sinks/sink.ts';
import type { Deliveries, DueOf, NewRow, Row } from './deliveries.ts';
import { createLimits, type Hold, type Limits, rejectionReason } from './limits.ts';
import { within } from './within.ts';

const MAX_FAILURE_CODE_POINTS = 300;

/** After each failure in a row. */
const PAUSES_MS = [250, 1000, 30_000, 60_000, 120_000, 240_000] as const;
const MAX_PAUSE_MS = 300_000;
/** From this failure on, the sink is paused. */
const MAX_FAILURES = 3;
/** Attempts after which a message is lost that the receiver refuses alone. */
const MAX_ATTEMPTS = 20;

/** Timers are not longer than this: they stop while the machine sleeps, and the time of day can be set. */
const MAX_TIMER_MS = 60_000;

/** How long notifications wait for a sink that has delivered nothing yet. */
const FIRST_OUTCOME_MS = 400;

/** Text that may come before it is looked whether the sink has too much. */
const UNCHECKED_UNITS = 256 * 1024;

/** Why a sink does not deliver a notification now. */
export type Reason = 'filter' | 'rule' | 'unseen' | 'level' | 'context' | 'unavailable' | Hold['reason'];

export interface SinkDeliveryOptions {
  /** The key identifies the sink's target across restarts. */
  readonly plan: Pick<SinkPlan, 'name' | 'key' | 'policy' | 'isLog'>;
  /** JSON: where the sink is configured. */
  readonly origin: string | null;
  readonly sink: Sink;
  readonly deliveries: Deliveries;
  readonly clock: Scheduler;
  /** Receives one sentence for the log when the sink fails, and when it works again. */
  readonly report: (sentence: string) => void;
  /** A delivery of errors has failed: another sink may have them now. */
  readonly failed?: () => void;
  /** True if the person has seen a notification, in any process. */
  readonly isSeen?: ((id: string) => Promise<boolean>) | undefined;
  /** Nothing is delivered before: the sinks of the configuration before this one end. */
  readonly before?: Promise<unknown>;
}

/** What the sink gets now. */
interface Batch {
  readonly rows: readonly Row[];
  /** A summary of them. Undefined: each is sent. */
  readonly notification?: Notification;
}

/**
 * Delivers the rows of one sink: takes what is due, sends it and deletes it. No method throws.
 *
 * Invariant: each notification that was offered and not rejected is delivered, alone or in a summary, or is a row that
 * waits, or is counted in the row of losses until a notice of them is delivered.
 */
export class SinkDelivery {
  readonly #options: SinkDeliveryOptions;
  readonly plan: SinkDeliveryOptions['plan'];
  readonly origin: string | null;
  readonly sink: Sink;
  readonly #deliveries: Deliveries;
  readonly #clock: Scheduler;
  readonly #limits: Limits;
  #due: DueOf = () => Infinity;
  /** How long until the next row is due, if it does not fail. */
  #dueMs = 0;
  #isRunning = false;
  #isWoken = false;
  #isFinishing = false;
  #isStopped = false;
  /** Of the present look, delivery or run. */
  #end = Promise.withResolvers<void>();
  #cancelTimer = () => {};
  #sending: Promise<void> | undefined;
  #abort: AbortController | undefined;
  /** The one back-off: failures in a row, and monotonic time of the next attempt. */
  #failures = 0;
  #pausedUntilMs = 0;
  /** The receiver has asked to wait: no new notification is an attempt. */
  #mustWait = false;
  /** Why the last delivery failed; undefined if it worked. */
  failure: string | undefined;
  /** Numbers of rows that have failed alone since the last success, the last one last. */
  #failed: readonly number[] = [];
  #isProven = false;
  #firstOutcome: Promise<void> | undefined;
  #uncheckedUnits = 0;

  constructor(options: SinkDeliveryOptions) {
    const { plan, sink, deliveries, clock } = options;
    this.#options = options;
    this.plan = plan;
    this.origin = options.origin;
    this.sink = sink;
    this.#deliveries = deliveries;
    this.#clock = clock;
    this.#limits = createLimits(plan.policy, clock, (caller) => sink.quietMs?.(caller) ?? 0);
  }

  /** The sink has got everything that it was to get by now, and the last delivery worked. */
  get isDone(): boolean {
    return this.failure === undefined && !this.#isRunning && this.#dueMs > 0;
  }

  /** A delivery worked, and none has failed since. A failure of the terminal or the file is known at once. */
  get isWorking(): boolean {
    return this.plan.isLog || (this.#isProven && this.#failures === 0);
  }

  /**
   * @param isChosen a rule names this sink, so its own level and contexts do not count
   * @param level minimum; default: that of the sink
   * @returns undefined if the notification was queued and no delivery has failed since the last that worked
   */
  offer(offered: Notification, isChosen = false, level = this.plan.policy.level): Reason | undefined {
    const { policy } = this.plan;
    const rejection = isChosen ? undefined : rejectionReason({ ...policy, level }, offered);
    const reason = rejection ?? (this.sink.unavailable?.() === undefined ? undefined : 'unavailable');
    if (reason !== undefined) return reason;
    const isPaused = this.#failures >= MAX_FAILURES && this.#backOffMs > 0;
    const hold = this.#limits.hold(offered, isPaused);
    this.add(offered, hold === undefined ? { state: 'queued' } : { ...hold, state: 'held' });
    // Only one message has failed since the last success: the receiver may accept another one.
    const isNewAttempt = hold === undefined && this.sink.batchSize === 1 && this.#failed.length <= 1;
    if (isNewAttempt && !this.#mustWait) this.#pausedUntilMs = 0;
    return hold?.reason ?? (this.#failures === 0 ? undefined : 'failing');
  }

  /** Stores what this sink has to do with a notification. */
  add(notification: Notification, row: Omit<NewRow, 'sink' | 'origin'>): void {
    this.#deliveries.add(notification, { ...row, sink: this.plan.key, origin: this.origin });
    this.#uncheckedUnits += notification.message.length;
    this.wake();
  }

  /** Ends the pause after failures if the sink may be reachable again, and loses what is too old. */
  look(isReachable: boolean): void {
    if (isReachable) this.#pausedUntilMs = 0;
    this.#uncheckedUnits = Infinity;
    this.wake();
  }

  /** Resolves when the queue is empty or the sink fails. */
  async idle(): Promise<void> {
    await this.#until(() => !this.#isRunning);
  }

  /** Resolves when a delivery has worked or failed, or after some time: all wait for the same end. */
  firstOutcome(): Promise<void> {
    const outcome = this.#until(() => this.#isProven || this.failure !== undefined);
    return (this.#firstOutcome ??= within(this.#clock, FIRST_OUTCOME_MS, outcome, true));
  }

  /** Delivers for at most the given time, and ends. The database has what remains. */
  async finish(timeoutMs: number): Promise<void> {
    this.#isFinishing = true;
    this.#deliveries.hurry(this.plan.key, this.plan.policy.digestMs === 0);
    this.#pausedUntilMs = 0;
    this.wake();
    const isOver = () => !this.#isRunning && (this.#dueMs > 0 || this.#failures >= MAX_FAILURES);
    await within(this.#clock, timeoutMs, this.#until(isOver));
    await this.stop(0);
  }

  /** Ends, after the present delivery if it takes no longer than this. */
  async stop(timeoutMs: number): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer();
    if (this.#sending !== undefined && timeoutMs > 0) await within(this.#clock, timeoutMs, this.#sending);
    this.#abort?.abort(new Error('no answer before the server ended'));
    await this.#sending;
  }

  /** Looks for what is due, in a later turn. */
  wake(): void {
    this.#cancelTimer();
    this.#isWoken = true;
    if (this.#isRunning || this.#isStopped) return;
    this.#isRunning = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    // The tool's answer goes out first, and notifications of the same turn share a batch.
    await nextTurn();
    await this.#options.before;
    let waitMs = 0;
    while (!this.#isStopped && (waitMs === 0 || this.#isWoken)) {
      this.#isWoken = false;
      waitMs = await this.#waitMs();
      if (waitMs === 0 && !this.#isStopped) await this.#step();
    }
    this.#isRunning = false;
    if (!this.#isStopped && waitMs !== Infinity) {
      const delayMs = Math.min(Math.max(waitMs, 1), MAX_TIMER_MS);
      this.#cancelTimer = this.#clock.after(delayMs, () => this.wake(), { isBackground: true });
    }
    this.#tell();
  }

  /** Milliseconds until there is something to do. */
  async #waitMs(): Promise<number> {
    if (this.#uncheckedUnits > UNCHECKED_UNITS) {
      this.#uncheckedUnits = 0;
      await this.#deliveries.shrink(this.plan.key);
    }
    this.#due = await this.#deliveries.due(this.plan.key);
    const nowMs = this.#nowMs;
    const held = this.#due('held');
    const quietMs = held === Infinity ? 0 : this.#limits.quietMs();
    const sent = (['queued', 'held errors', 'lost'] as const).map((kind) => this.#due(kind));
    this.#dueMs = Math.max(0, Math.min(...sent, Math.max(held, nowMs + quietMs)) - nowMs);
    const deliveryMs = Math.max(this.#dueMs, this.#backOffMs);
    return this.#isFinishing ? deliveryMs : Math.max(0, Math.min(deliveryMs, this.#due('unseen') - nowMs));
  }

  async #step(): Promise<void> {
    if (!this.#isFinishing && this.#due('unseen') <= this.#nowMs) await this.#takeUnseen();
    if (this.#backOffMs > 0) return;
    const batch = await this.#next();
    if (batch === undefined || this.#isStopped) return;
    this.#sending = this.#deliver(batch);
    await this.#sending;
    this.#sending = undefined;
    this.#tell();
  }

  /** The person has not seen these at the sinks before this one of their rule. */
  async #takeUnseen(): Promise<void> {
    const { isSeen = async () => false } = this.#options;
    for (const row of await this.#deliveries.unseen(this.plan.key)) {
      // Without an answer, nobody says that it was seen.
      if (await isSeen(row.id).catch(() => false)) this.#deliveries.seen(row.id);
      else this.#deliveries.move([row], 'queued');
    }
  }

  /** Held errors, then the queue with its errors first, then the other summary; but what has failed lets the others try. */
  async #next(): Promise<Batch | undefined> {
    const nowMs = this.#nowMs;
    const errors = this.#due('held errors') <= nowMs ? await this.#summary(true) : undefined;
    const queued = await this.#queued();
    const others =
      this.#due('held') <= nowMs && this.#limits.quietMs() === 0 ? await this.#summary(false) : undefined;
    const lastFailure = ({ rows }: Batch) =>
      Math.max(...rows.map(({ number }) => this.#failed.indexOf(number)));
    const batches = [errors, queued, others].filter((batch) => batch !== undefined);
    return batches.toSorted((a, b) => lastFailure(a) - lastFailure(b))[0];
  }

  /** What came before quiet hours began waits for their end too. */
  async #queued(): Promise<Batch | undefined> {
    const rows = await this.#deliveries.queued(this.plan.key, this.sink.batchSize, this.#failed);
    const isQuiet = ({ rank, notification: { caller = '' } }: Row) =>
      rank > 0 && this.#limits.quietMs(caller) > 0;
    const quiet = rows.filter(isQuiet);
    if (quiet.length > 0) this.#deliveries.move(quiet, 'held');
    const rest = rows.filter((row) => !quiet.includes(row));
    return rest.length === 0 ? undefined : { rows: rest };
  }

  async #summary(areErrors: boolean): Promise<Batch | undefined> {
    const held = await this.#deliveries.held(this.plan.key, areErrors);
    return summaryOf(held, this.sink.maxCodePoints, this.#nowMs);
  }

  /** Sends it, and stores what came of it. */
  async #deliver({ rows, notification: summary }: Batch): Promise<void> {
    const { timeoutMs } = this.sink;
    const sent = summary === undefined ? rows.map(({ notification }) => notification) : [summary];
    const abort = new AbortController();
    this.#abort = abort;
    const aborted = Promise.withResolvers<never>();
    abort.signal.addEventListener('abort', () => aborted.reject(abort.signal.reason));
    const late = () => abort.abort(new Error(`no response within ${timeoutMs} ms`));
    const cancel = this.#clock.after(timeoutMs, late, { isBackground: true });
    try {
      await Promise.race([this.sink.deliver(sent, abort.signal), aborted.promise]);
      this.#deliveries.delete(rows);
      this.#onSuccess();
    } catch (error) {
      const { count, cause } = error instanceof PartlyDelivered ? error : { count: 0, cause: error };
      this.#deliveries.delete(rows.slice(0, count));
      this.#onFailure(rows.slice(count), cause);
    } finally {
      cancel();
      this.#abort = undefined;
    }
  }

  #onSuccess(): void {
    if (this.failure !== undefined) this.#options.report(`${this.plan.name} works again.`);
    this.failure = undefined;
    this.#failures = 0;
    this.#mustWait = false;
    this.#isProven = true;
    // An outage counts against nothing: until now it was not known that the receiver works.
    if (this.#failed.length > 0) this.#deliveries.countFailure(this.#failed);
    this.#failed = [];
  }

  #onFailure(rows: readonly Row[], error: unknown): void {
    const { report } = this.#options;
    const failure = escapeLine(messageOf(error), MAX_FAILURE_CODE_POINTS);
    const isRefused = error instanceof Undeliverable;
    const isHopeless = ({ state, attempts }: Row) =>
      state !== 'lost' && (isRefused || attempts >= MAX_ATTEMPTS - 1);
    if (isRefused && this.failure !== failure) report(`${this.plan.name} refused a notification: ${failure}`);
    const cause = isRefused ? failure : `${MAX_ATTEMPTS} attempts failed: ${failure}`;
    this.#deliveries.lose(this.plan.key, rows.filter(isHopeless), cause);
    const others = rows.filter((row) => !isHopeless(row));
    if (isRefused) this.#deliveries.shorten(others);
    const numbers = new Set(this.sink.batchSize === 1 ? others.map(({ number }) => number) : []);
    this.#failed = [...this.#failed.filter((number) => !numbers.has(number)), ...numbers];
    this.failure = failure;
    this.#failures += 1;
    const requestedMs = error instanceof RetryLater ? Math.min(error.delayMs, MAX_PAUSE_MS) : 0;
    this.#mustWait = requestedMs > 0;
    const pauseMs = Math.max(PAUSES_MS[this.#failures - 1] ?? MAX_PAUSE_MS, requestedMs);
    this.#pausedUntilMs = this.#clock.elapsedMs() + pauseMs;
    if (this.#failures === MAX_FAILURES)
      report(`${this.plan.name} failed repeatedly and is paused: ${failure}`);
    const errors = rows.filter(({ rank }) => rank === 0).map(({ id }) => id);
    if (errors.length === 0) return;
    this.#deliveries.passOn(this.plan.key, errors);
    this.#options.failed?.();
  }

  get #nowMs(): number {
    return this.#clock.now().getTime();
  }

  /** Time until the next attempt is allowed. */
  get #backOffMs(): number {
    return Math.max(0, this.#pausedUntilMs - this.#clock.elapsedMs());
  }

  async #until(isDone: () => boolean): Promise<void> {
    while (!isDone()) await this.#end.promise;
  }

  /** Something that is waited for may have happened. */
  #tell(): void {
    this.#end.resolve();
    this.#end = Promise.withResolvers();
  }
}
