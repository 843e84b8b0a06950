import type { Rate } from '../config/plan.ts';
import type { Level } from '../notification/notification.ts';
import type { Clock } from './clock.ts';

/** Callers above this number share the bucket of the one that sent least recently. */
const MAX_BUCKETS = 1000;

/** Limits the rate of each caller. Errors have a second bucket of the same size. */
export class RateLimit {
  readonly #rate: Rate | undefined;
  readonly #clock: Clock;
  readonly #buckets = new Map<string, TokenBucket>();

  /** @param rate undefined means no limit */
  constructor(rate: Rate | undefined, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
  }

  /** @returns false if the caller has no token left */
  take(level: Level, caller: string): boolean {
    return this.#bucketOf(level, caller)?.take() ?? true;
  }

  /** Milliseconds until the caller has a token. */
  waitMs(level: Level, caller: string): number {
    return this.#bucketOf(level, caller)?.waitMs ?? 0;
  }

  #bucketOf(level: Level, caller: string): TokenBucket | undefined {
    if (this.#rate === undefined) return undefined;
    const key = `${level === 'error' ? 'error' : 'other'} ${caller}`;
    const bucket = this.#buckets.get(key) ?? this.#create(this.#rate);
    // The last in the order of the map is the one that was used last.
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    return bucket;
  }

  #create(rate: Rate): TokenBucket {
    const [oldest] = this.#buckets;
    if (this.#buckets.size < MAX_BUCKETS || oldest === undefined) return new TokenBucket(rate, this.#clock);
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
    this.#filledAt = clock.monotonic();
  }

  /** @returns false if no token is left */
  take(): boolean {
    this.#fill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  get waitMs(): number {
    this.#fill();
    return Math.ceil((Math.max(0, 1 - this.#tokens) * 60_000) / this.#rate.perMinute);
  }

  #fill(): void {
    const now = this.#clock.monotonic();
    const gained = ((now - this.#filledAt) * this.#rate.perMinute) / 60_000;
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + gained);
    this.#filledAt = now;
  }
}
