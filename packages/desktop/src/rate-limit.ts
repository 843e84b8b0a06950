import type { Clock } from '@deskside/core/base';

/** How often a caller may do something. */
export interface Rate {
  /** Calls in a row that are allowed after a pause. */
  readonly burst: number;
  readonly perMinute: number;
}

/** More callers than a desk has at once: of the others, what they have used is forgotten. */
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
    const { burst, perMinute } = this.#rate;
    const bucket = this.#buckets.get(caller) ?? { tokens: burst, atMs };
    const tokens = Math.min(burst, bucket.tokens + ((atMs - bucket.atMs) * perMinute) / MINUTE_MS);
    const waitMs = Math.ceil((Math.max(0, 1 - tokens) * MINUTE_MS) / perMinute);
    this.#buckets.delete(caller);
    this.#buckets.set(caller, waitMs === 0 ? { tokens: tokens - 1, atMs } : bucket);
    const [oldest = caller] = this.#buckets.keys();
    if (this.#buckets.size > MAX_BUCKETS) this.#buckets.delete(oldest);
    return waitMs;
  }
}
