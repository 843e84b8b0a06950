import { type Clock, RateLimit } from '@deskside/core/base';
import type { Policy, QuietHours } from '../sinks/define-sink.ts';
import { type Level, type Notification, OWN_CONTEXT, severity } from '../notification/notification.ts';
import { contentKey } from '../notification/tally.ts';
import {
  type Delivery,
  type Item,
  itemOf,
  longestWaitMs,
  membersOf,
  type Place,
  type SinkRecords,
} from './store/sink-records.ts';
import { summarized } from './summary.ts';

/** Time after which a summary reports what the rate limit held back. */
const SUMMARY_MS = 60_000;

const MINUTES_PER_DAY = 24 * 60;

/** How many different notifications are watched for repeats at the same time. */
const MAX_WATCHED = 500;

/** Due as soon as one of the clocks says so: the monotonic one can stand still during sleep, the other can be set back. */
interface Due {
  readonly elapsedMs: number;
  readonly wallMs: number;
}

const AT_ONCE: Due = { elapsedMs: -Infinity, wallMs: -Infinity };
const NEVER: Due = { elapsedMs: Infinity, wallMs: Infinity };

/** Why a sink does not deliver a notification now. */
export type HoldReason = 'rate' | 'duplicate' | 'quiet hours' | 'digest' | 'failing';

/** @returns undefined if the policy accepts the level and the context */
export function rejectionReason(
  { level: minimum, contexts, excludeContexts }: Policy,
  { level, context }: Pick<Notification, 'level' | 'context'>,
): 'level' | 'context' | undefined {
  if (severity(level) < severity(minimum)) return 'level';
  if (excludeContexts.includes(context)) return 'context';
  return contexts.length > 0 && !contexts.includes(context) ? 'context' : undefined;
}

/**
 * A sink's rules between its filter and its queue, in this order: throttle, exact repeats, quiet hours and digest. It
 * passes a notification or holds it for a summary, and drops nothing. It has no timers: `waitMs` says when to call
 * `release`.
 */
export class Pipeline {
  readonly #clock: Clock;
  readonly #records: SinkRecords;
  readonly #personQuietMs: (caller?: string) => number;
  #policy: Policy;
  #limit: RateLimit;
  /** Content to the time until which repeats are held. */
  readonly #watched = new Map<string, Due>();
  /** The next summary of the overflow. */
  #overflowDue = NEVER;
  #digestDue = AT_ONCE;

  /** @param personQuietMs how long the person wants no notifications of this caller; without a caller, of any */
  constructor(
    policy: Policy,
    records: SinkRecords,
    clock: Clock,
    personQuietMs: (caller?: string) => number = () => 0,
  ) {
    this.#records = records;
    this.#personQuietMs = personQuietMs;
    this.#policy = policy;
    this.#clock = clock;
    this.#limit = new RateLimit(policy.rate, clock);
  }

  get policy(): Policy {
    return this.#policy;
  }

  /** Replaces the policy. What is held stays held. */
  update(policy: Policy): void {
    if (JSON.stringify(policy.rate) !== JSON.stringify(this.#policy.rate)) {
      this.#limit = new RateLimit(policy.rate, this.#clock);
    }
    if (policy.digestMs === 0) this.#digestDue = AT_ONCE;
    this.#policy = policy;
  }

  /**
   * @param isPaused the sink cannot deliver now
   * @returns undefined if the notification may be delivered now; otherwise it is held for a summary
   */
  offer(delivery: Delivery, isPaused: boolean): HoldReason | undefined {
    const { notification } = delivery;
    const { level, limitKey = '', caller = '' } = notification;
    if (!this.#takeToken(level, limitKey)) return this.#holdOver(delivery, SUMMARY_MS, 'rate');
    const repeatMs = this.#repeatMs(notification);
    delivery.isRepeat = repeatMs > 0;
    if (delivery.isRepeat) return this.#holdOver(delivery, repeatMs, 'duplicate');
    const reason = this.#laterReason(level, caller);
    if (reason !== undefined) return this.#holdLater([itemOf(delivery)], reason);
    const waitsForSummary = isPaused && level !== 'error' && this.#policy.rate !== undefined;
    return waitsForSummary ? this.#holdOver(delivery, 0, 'failing') : undefined;
  }

  /** Takes out of the queue what quiet hours hold now. */
  holdForQuietHours(): void {
    if (this.#quietMs() === undefined) return;
    const { now = [], later = [] } = Object.groupBy(
      this.#records.take('queued'),
      ({ notification: { level, caller = '' } }) =>
        level === 'error' || this.#quietMs(caller) === undefined ? 'now' : 'later',
    );
    this.#records.place('queued', now);
    this.#records.place('later', later);
  }

  /** Milliseconds until `release` may return something; undefined if nothing is held. */
  get waitMs(): number | undefined {
    const waits = [
      ...(this.#overflowCount > 0 ? [this.#overflowWaitMs()] : []),
      ...(this.#records.count('later') > 0 ? [this.#laterWaitMs()] : []),
    ];
    return waits.length === 0 ? undefined : Math.max(0, Math.min(...waits));
  }

  /**
   * The summaries that are due. They pass the throttle, quiet hours and the digest too.
   *
   * @param maxCodePoints what the sink shows of a message
   */
  release(maxCodePoints: number): Item[] {
    const released: Item[] = [];
    if (this.#untilMs(this.#overflowDue) <= 0) {
      const reason = this.#laterReason('info');
      if (reason !== undefined) this.#holdLater(this.#records.take('overflow'), reason);
      released.push(...this.#summaries('errors', 'error', maxCodePoints));
      released.push(...this.#summaries('overflow', 'warn', maxCodePoints));
      if (this.#overflowCount === 0) this.#overflowDue = NEVER;
    }
    if (this.#records.count('later') > 0 && this.#laterWaitMs() <= 0) {
      released.push(...this.#summaries('later', 'warn', maxCodePoints));
      if (this.#records.count('later') === 0) this.#digestDue = AT_ONCE;
    }
    return released;
  }

  /** When the server ends: what only the throttle or a repeat held back, at once. Quiet hours and digests stay. */
  releaseAtEnd(maxCodePoints: number): Item[] {
    const ending: Place[] = this.#laterReason('info') === undefined ? ['errors', 'overflow'] : ['errors'];
    if (this.#records.count('later') > 0 && this.#laterWaitMs() <= 1) ending.push('later');
    return ending.flatMap((place) => this.#taken(place, maxCodePoints));
  }

  get #overflowCount(): number {
    return this.#records.count('overflow') + this.#records.count('errors');
  }

  /** A summary passes the throttle. */
  #summaries(place: Place, level: Level, maxCodePoints: number): Item[] {
    if (this.#records.count(place) === 0 || !this.#takeToken(level, OWN_CONTEXT)) return [];
    return this.#taken(place, maxCodePoints);
  }

  #taken(place: Place, maxCodePoints: number): Item[] {
    return summarized(membersOf(this.#records.take(place)), maxCodePoints, this.#clock);
  }

  #takeToken(level: Level, caller: string): boolean {
    return this.#limit.take(bucketOf(level, caller)) === 0;
  }

  #after(delayMs: number): Due {
    return {
      elapsedMs: this.#clock.elapsedMs() + delayMs,
      wallMs: this.#clock.now().getTime() + delayMs,
    };
  }

  #untilMs({ elapsedMs, wallMs }: Due): number {
    return Math.min(elapsedMs - this.#clock.elapsedMs(), wallMs - this.#clock.now().getTime());
  }

  #overflowWaitMs(): number {
    const level = this.#records.count('errors') > 0 ? 'error' : 'warn';
    return Math.max(this.#untilMs(this.#overflowDue), this.#limit.waitMs(bucketOf(level, OWN_CONTEXT)));
  }

  #laterWaitMs(): number {
    const digestMs = this.#untilMs(this.#digestDue);
    return Math.max(this.#quietMs() ?? 0, digestMs, this.#limit.waitMs(bucketOf('warn', OWN_CONTEXT)));
  }

  /** Time for which this notification is held as a repeat; 0 if it is the first. */
  #repeatMs(notification: Notification): number {
    const { foldMs } = this.#policy;
    if (foldMs === 0) return 0;
    const key = contentKey(notification);
    const leftMs = this.#untilMs(this.#watched.get(key) ?? AT_ONCE);
    if (leftMs > 0) return leftMs;
    this.#watched.delete(key);
    // The first in the order of the map ends first, unless the configuration changed.
    for (const [oldest, end] of this.#watched) {
      if (this.#untilMs(end) > 0 && this.#watched.size < MAX_WATCHED) break;
      this.#watched.delete(oldest);
    }
    this.#watched.set(key, this.#after(foldMs));
    return 0;
  }

  #laterReason(level: Level, caller?: string): 'quiet hours' | 'digest' | undefined {
    if (level === 'error') return undefined;
    if (this.#quietMs(caller) !== undefined) return 'quiet hours';
    return this.#policy.digestMs > 0 ? 'digest' : undefined;
  }

  /** Milliseconds until quiet hours and "Not now" end. */
  #quietMs(caller?: string): number | undefined {
    const { quietHours } = this.#policy;
    const hoursMs = quietHours === undefined ? 0 : quietTimeLeftMs(quietHours, this.#clock.now());
    const leftMs = Math.max(hoursMs ?? 0, this.#personQuietMs(caller));
    return leftMs === 0 ? undefined : leftMs;
  }

  #holdOver(delivery: Delivery, delayMs: number, reason: HoldReason): HoldReason {
    this.#records.place(delivery.notification.level === 'error' ? 'errors' : 'overflow', [itemOf(delivery)]);
    if (delayMs < this.#untilMs(this.#overflowDue)) this.#overflowDue = this.#after(delayMs);
    return reason;
  }

  #holdLater(items: readonly Item[], reason: 'quiet hours' | 'digest'): HoldReason {
    if (reason === 'digest' && this.#records.count('later') === 0) {
      const leftMs = this.#policy.digestMs - longestWaitMs(membersOf(items), this.#clock);
      // If the period ended while no server ran, one summary comes when all of it is restored.
      this.#digestDue = this.#after(Math.max(leftMs, 1));
    }
    this.#records.place('later', items);
    return reason;
  }
}

/** Errors of a caller have a second bucket of the same size. */
function bucketOf(level: Level, caller: string): string {
  return `${level === 'error' ? 'error' : 'other'} ${caller}`;
}

/** @returns milliseconds until quiet hours end; undefined outside them */
function quietTimeLeftMs({ from, to }: QuietHours, now: Date): number | undefined {
  const minute = now.getHours() * 60 + now.getMinutes();
  const sinceStart = (minute - from + MINUTES_PER_DAY) % MINUTES_PER_DAY;
  const length = (to - from + MINUTES_PER_DAY) % MINUTES_PER_DAY;
  if (sinceStart >= length) return undefined;
  const end = new Date(now);
  end.setHours(0, to, 0, 0);
  // Calendar arithmetic: a day can have 23 or 25 hours.
  if (end <= now) end.setDate(end.getDate() + 1);
  return end.getTime() - now.getTime();
}
