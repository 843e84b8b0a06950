/** Notifications that may come at once, and then how many a second. */
export const BURST = 20;
export const PER_SECOND = 1;

/** Somebody's bucket of tokens, as it was at a moment in milliseconds. */
export interface Bucket {
  readonly tokens: number;
  readonly at: number;
}

/** A bucket for each principal. One that would be full again is forgotten, so idle callers cost nothing. */
export class NotificationRate {
  readonly #buckets: Map<string, Bucket>;
  readonly #now: () => number;

  /**
   * @param now milliseconds of a clock that never goes back
   * @param buckets by principal; those that are not full
   */
  constructor(now: () => number, buckets = new Map<string, Bucket>()) {
    this.#now = now;
    this.#buckets = buckets;
  }

  /** Takes one notification off the caller's allowance. @returns whole seconds to wait; 0 where it may go. */
  take(user: string): number {
    const at = this.#now();
    this.#forgetFull(at);
    const tokens = this.#tokens(user, at);
    if (tokens < 1) return Math.ceil((1 - tokens) / PER_SECOND);
    this.#buckets.set(user, { tokens: tokens - 1, at });
    return 0;
  }

  #tokens(user: string, at: number): number {
    const bucket = this.#buckets.get(user);
    if (bucket === undefined) return BURST;
    return Math.min(BURST, bucket.tokens + ((at - bucket.at) / 1000) * PER_SECOND);
  }

  #forgetFull(at: number): void {
    for (const user of this.#buckets.keys()) if (this.#tokens(user, at) >= BURST) this.#buckets.delete(user);
  }
}
