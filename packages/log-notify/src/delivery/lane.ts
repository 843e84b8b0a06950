import { setImmediate as nextTurn } from 'node:timers/promises';
import { neutralize } from '../message/neutralize.ts';
import { type Notification, notification } from '../message/notification.ts';
import { NotYet, PartlyDelivered, type Sink, Undeliverable } from '../sinks/sink.ts';
import { Breaker } from './breaker.ts';
import type { Clock } from './clock.ts';
import { Gate, unwanted } from './gate.ts';
import { OWN_CONTEXT } from './holding.ts';
import type { Policy, Reason } from './policy.ts';
import { Ring } from './ring.ts';
import { Tally } from './tally.ts';

export interface LaneSetup {
  readonly name: string;
  readonly sink: Sink;
  readonly policy: Policy;
  readonly clock: Clock;
  /** One sentence for the server's log, when the sink stops working and when it works again. */
  readonly report: (sentence: string) => void;
}

/** One sink with what stands before it: gate, ring, time limit, breaker. Nothing here ever throws. */
export class Lane {
  readonly name: string;
  readonly #sink: Sink;
  readonly #policy: Policy;
  readonly #clock: Clock;
  readonly #report: (sentence: string) => void;
  readonly #gate: Gate;
  readonly #ring: Ring;
  readonly #breaker: Breaker;
  readonly #lost = new Tally();
  readonly #waiting = new Set<() => void>();
  #isWorking = false;
  #isClosing = false;
  #cancelRetry: (() => void) | undefined;
  #failure: string | undefined;

  constructor({ name, sink, policy, clock, report }: LaneSetup) {
    this.name = name;
    this.#sink = sink;
    this.#policy = policy;
    this.#clock = clock;
    this.#report = report;
    this.#ring = new Ring(policy.queue);
    this.#breaker = new Breaker(clock);
    this.#gate = new Gate(policy, clock, (summary) => this.#enqueue(summary));
  }

  /** @returns undefined where the sink takes it, and was working when it was last used */
  offer(offered: Notification): Reason | undefined {
    const reason = unwanted(this.#policy, offered) ?? this.#unavailable() ?? this.#gate.pass(offered);
    if (reason !== undefined) return reason;
    if (this.#breaker.isOpen && offered.level !== 'error') {
      this.#lost.add(offered);
      return 'failing';
    }
    if (!this.#enqueue(offered)) return 'full';
    return this.#breaker.isHealthy ? undefined : 'failing';
  }

  /** Why the last try failed; undefined where it worked. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Resolves when nothing is on its way any more: all is delivered, or the sink fails. */
  async idle(): Promise<void> {
    if (!this.#isBusy) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    await promise;
  }

  /** Lets out what is held, delivers what waits, within the time given, and closes the sink. */
  async close(milliseconds: number): Promise<void> {
    if (this.#isClosing) return;
    this.#gate.flush();
    this.#isClosing = true;
    const late = Promise.withResolvers<void>();
    const cancel = this.#clock.within(milliseconds, late.resolve);
    await Promise.race([this.idle(), late.promise]);
    cancel();
    this.#cancelRetry?.();
    await this.#sink.close?.();
  }

  get #isBusy(): boolean {
    return this.#isWorking || (this.#ring.size > 0 && !this.#breaker.isOpen);
  }

  #unavailable(): Reason | undefined {
    return this.#sink.unavailable?.() === undefined ? undefined : 'unavailable';
  }

  #enqueue(newcomer: Notification): boolean {
    const gone = this.#ring.push(newcomer);
    for (const each of gone) this.#lost.add(each);
    this.#work();
    return !gone.includes(newcomer);
  }

  #work(): void {
    if (this.#isWorking || this.#cancelRetry !== undefined || this.#ring.size === 0) return;
    this.#isWorking = true;
    void this.#drain();
  }

  async #drain(): Promise<void> {
    // The answer of the call goes out first, and what arrives in the same turn shares a delivery.
    await nextTurn();
    await this.#deliverWaiting();
    this.#isWorking = false;
    // Something may have come between the last look and now.
    this.#work();
    for (const resolve of this.#isBusy ? [] : this.#waiting) resolve();
  }

  async #deliverWaiting(): Promise<void> {
    while (this.#ring.size > 0) {
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
    const { timeLimit } = this.#sink;
    const controller = new AbortController();
    const late = Promise.withResolvers<never>();
    const cancel = this.#clock.after(timeLimit, () => {
      const error = new Error(`no answer within ${timeLimit} ms`);
      controller.abort(error);
      late.reject(error);
    });
    try {
      await Promise.race([this.#sink.deliver(batch, controller.signal), late.promise]);
    } finally {
      cancel();
    }
  }

  #onSuccess(): void {
    if (this.#failure !== undefined) this.#report(`${this.name} works again.`);
    this.#failure = undefined;
    this.#breaker.succeed();
  }

  /** What was lost is told before what came later. */
  #nextBatch(): readonly Notification[] {
    if (this.#lost.total === 0) return this.#ring.take(this.#sink.batch);
    const { subject, counts, latest } = this.#lost;
    const message = `${subject} lost here (${counts}): more came than could be delivered. Latest: ${latest}`;
    this.#lost.clear();
    const summary = notification({ level: 'warn', context: OWN_CONTEXT, message }, this.#clock.now());
    return [summary, ...this.#ring.take(this.#sink.batch - 1)];
  }

  #onFailure(batch: readonly Notification[], error: unknown): void {
    this.#failure = neutralize(error instanceof Error ? error.message : String(error), 300);
    const arrived = error instanceof PartlyDelivered ? error.count : 0;
    const rest = batch.slice(arrived);
    const gone = error instanceof Undeliverable ? rest : this.#ring.putBack(rest);
    for (const each of gone) this.#lost.add(each);
    if (this.#breaker.fail(error instanceof NotYet ? error.milliseconds : 0)) {
      this.#report(`${this.name} fails and is left alone for a while: ${this.#failure}`);
    }
    this.#cancelRetry = this.#clock.after(this.#breaker.remaining, () => {
      this.#cancelRetry = undefined;
      this.#work();
    });
  }
}
