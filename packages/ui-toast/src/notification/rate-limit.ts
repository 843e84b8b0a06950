/** Notifications that a caller may send at once. */
export const BURST_NOTIFICATIONS = 20;
export const NOTIFICATIONS_PER_SECOND = 1;

/** A token bucket, filled to `tokens` at `at` (milliseconds of a monotonic clock). */
export interface Bucket {
  readonly tokens: number;
  readonly at: number;
}

/** One token bucket per caller. Full buckets are dropped, so idle callers use no memory. */
export class RateLimit {
  readonly #buckets: Map<string, Bucket>;
  readonly #now: () => number;

  /**
   * @param now milliseconds of a monotonic clock
   * @param buckets by caller; only those that are not full
   */
  constructor(now: () => number, buckets = new Map<string, Bucket>()) {
    this.#now = now;
    this.#buckets = buckets;
  }

  /** Counts one notification of a caller. @returns whole seconds to wait; 0 if the notification is allowed */
  take(caller: string): number {
    const at = this.#now();
    this.#dropFullBuckets(at);
    const tokens = this.#tokens(caller, at);
    if (tokens < 1) return Math.ceil((1 - tokens) / NOTIFICATIONS_PER_SECOND);
    this.#buckets.set(caller, { tokens: tokens - 1, at });
    return 0;
  }

  #tokens(caller: string, at: number): number {
    const bucket = this.#buckets.get(caller);
    if (bucket === undefined) return BURST_NOTIFICATIONS;
    const refilled = ((at - bucket.at) / 1000) * NOTIFICATIONS_PER_SECOND;
    return Math.min(BURST_NOTIFICATIONS, bucket.tokens + refilled);
  }

  #dropFullBuckets(at: number): void {
    for (const caller of this.#buckets.keys()) {
      if (this.#tokens(caller, at) >= BURST_NOTIFICATIONS) this.#buckets.delete(caller);
    }
  }
}
