import type { Policy, QuietHours, Rate } from '../config/plan.ts';
import { type Notification, severity } from '../notification/notification.ts';
import type { Clock } from './clock.ts';
import { Deduplicator, Digest } from './summaries.ts';

/** Time after which a summary reports what the rate limit held back. */
const RATE_SUMMARY_MS = 60_000;

const MINUTES_PER_DAY = 24 * 60;

/** Why a sink does not get a notification now. */
export type Reason =
  | 'filter'
  | 'level'
  | 'context'
  | 'unavailable'
  | 'failing'
  | 'quiet hours'
  | 'digest'
  | 'duplicate'
  | 'rate'
  | 'full';

/** @returns undefined if the policy accepts the level and the context */
export function rejectionReason(
  { level: minimum, contexts, excludeContexts }: Policy,
  { level, context }: Pick<Notification, 'level' | 'context'>,
): Reason | undefined {
  if (severity(level) < severity(minimum)) return 'level';
  if (excludeContexts.includes(context)) return 'context';
  return contexts.length > 0 && !contexts.includes(context) ? 'context' : undefined;
}

/** Applies a sink's policy: passes a notification now, or counts it for a later summary. */
export class Throttle {
  readonly #policy: Policy;
  readonly #clock: Clock;
  readonly #buckets: CallerBuckets | undefined;
  readonly #deduplicator: Deduplicator | undefined;
  readonly #quietHours: Digest;
  readonly #digest: Digest;
  readonly #overflow: Digest;

  /** @param release receives the summaries */
  constructor(policy: Policy, clock: Clock, release: (summary: Notification) => void) {
    const { rate, foldMs } = policy;
    this.#policy = policy;
    this.#clock = clock;
    this.#buckets = rate === undefined ? undefined : new CallerBuckets(rate, clock);
    this.#deduplicator = foldMs === 0 ? undefined : new Deduplicator(foldMs, clock, release);
    this.#quietHours = new Digest(clock, release);
    this.#digest = new Digest(clock, release);
    this.#overflow = new Digest(clock, release);
  }

  /** @returns undefined if the notification may be delivered now; otherwise it was counted for a summary */
  pass(candidate: Notification): Reason | undefined {
    const isError = candidate.level === 'error';
    const { digestMs, quietHours } = this.#policy;
    const quietMs =
      quietHours === undefined || isError ? undefined : quietTimeLeftMs(quietHours, this.#clock.now());
    if (quietMs !== undefined) {
      this.#quietHours.hold(candidate, quietMs);
      return 'quiet hours';
    }
    if (digestMs > 0 && !isError) {
      this.#digest.hold(candidate, digestMs);
      return 'digest';
    }
    if (this.#deduplicator?.isRepeat(candidate) === true) return 'duplicate';
    if (this.#buckets?.take(candidate) === false) {
      this.#overflow.hold(candidate, RATE_SUMMARY_MS);
      return 'rate';
    }
    return undefined;
  }

  /** Releases all summaries now. */
  flush(): void {
    this.#deduplicator?.flush();
    this.#quietHours.flush();
    this.#digest.flush();
    this.#overflow.flush();
  }
}

/** Callers above this number share the bucket of the one that sent least recently. */
const MAX_BUCKETS = 1000;

/** Two buckets per caller: errors have their own. */
class CallerBuckets {
  readonly #rate: Rate;
  readonly #clock: Clock;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
  }

  /** @returns false if the caller has no token left */
  take({ level, caller = '' }: Notification): boolean {
    const key = `${level === 'error' ? 'error' : 'other'} ${caller}`;
    const bucket = this.#buckets.get(key) ?? this.#create();
    // The last in the order of the map is the one that was used last.
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    return bucket.take();
  }

  #create(): TokenBucket {
    const [oldest] = this.#buckets;
    if (this.#buckets.size < MAX_BUCKETS || oldest === undefined)
      return new TokenBucket(this.#rate, this.#clock);
    this.#buckets.delete(oldest[0]);
    return oldest[1];
  }
}

class TokenBucket {
  readonly #rate: Rate;
  readonly #clock: Clock;
  #tokens: number;
  #filledAt: number;

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
    this.#tokens = rate.burst;
    this.#filledAt = clock.now();
  }

  /** @returns false if no token is left */
  take(): boolean {
    const now = this.#clock.now();
    const gained = (Math.max(0, now - this.#filledAt) * this.#rate.perMinute) / 60_000;
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + gained);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}

/** @returns milliseconds until quiet hours end; undefined outside them */
function quietTimeLeftMs({ from, to }: QuietHours, now: number): number | undefined {
  const date = new Date(now);
  const minute = date.getHours() * 60 + date.getMinutes();
  const sinceStart = (minute - from + MINUTES_PER_DAY) % MINUTES_PER_DAY;
  const length = (to - from + MINUTES_PER_DAY) % MINUTES_PER_DAY;
  if (sinceStart >= length) return undefined;
  const end = new Date(now);
  end.setHours(0, to, 0, 0);
  // Calendar arithmetic: a day can have 23 or 25 hours.
  if (end.getTime() <= now) end.setDate(end.getDate() + 1);
  return end.getTime() - now;
}
