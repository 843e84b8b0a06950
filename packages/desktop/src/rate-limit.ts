import type { Clock } from '@deskside/core/base';

/** How often a caller may do something. */
export interface Rate {
  /** Calls in a row that are allowed after a pause. */
  readonly burst: number;
  readonly perMinute: number;
}

/** If more callers than this have used tokens, a new one shares the bucket that was used least recently. */
const MAX_BUCKETS = 1000;
const MINUTE_MS = 60_000;

interface Bucket {
  readonly tokens: number;
  /** When it had that many, on `elapsedMs` of the clock. */
  readonly atMs: number;
}

/** Limits the rate of each caller: one token bucket per caller. */
export class RateLimit {
  readonly #rate: Rate | undefined;
  readonly #clock: Pick<Clock, 'elapsedMs'>;
  /** In the order of use. */
  readonly #buckets = new Map<string, Bucket>();

  /** @param rate undefined means no limit */
  constructor(rate: Rate | undefined, clock: Pick<Clock, 'elapsedMs'>) {
    this.#rate = rate;
    this.#clock = clock;
  }

  /** Takes a token of the caller if one is left. @returns 0, or the milliseconds until the caller has a token */
  take(caller: string): number {
    if (this.#rate === undefined) return 0;
    const atMs = this.#clock.elapsedMs();
    const bucket = this.#bucketOf(caller, this.#rate, atMs);
    const tokens = tokensOf(bucket, this.#rate, atMs);
    const waitMs = waitMsFor(tokens, this.#rate);
    this.#buckets.delete(caller);
    this.#buckets.set(caller, waitMs === 0 ? { tokens: tokens - 1, atMs } : bucket);
    return waitMs;
  }

  /** Milliseconds until the caller has a token; 0 if one is left. */
  waitMs(caller: string): number {
    const bucket = this.#buckets.get(caller);
    if (this.#rate === undefined || bucket === undefined) return 0;
    return waitMsFor(tokensOf(bucket, this.#rate, this.#clock.elapsedMs()), this.#rate);
  }

  #bucketOf(caller: string, { burst }: Rate, atMs: number): Bucket {
    const known = this.#buckets.get(caller);
    const [oldest] = this.#buckets;
    if (known !== undefined || oldest === undefined || this.#buckets.size < MAX_BUCKETS)
      return known ?? { tokens: burst, atMs };
    this.#buckets.delete(oldest[0]);
    return oldest[1];
  }
}

function tokensOf(bucket: Bucket, { burst, perMinute }: Rate, atMs: number): number {
  return Math.min(burst, bucket.tokens + ((atMs - bucket.atMs) * perMinute) / MINUTE_MS);
}

function waitMsFor(tokens: number, { perMinute }: Rate): number {
  return Math.ceil((Math.max(0, 1 - tokens) * MINUTE_MS) / perMinute);
}
