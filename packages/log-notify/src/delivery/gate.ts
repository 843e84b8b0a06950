import { gravity } from '../message/levels.ts';
import type { Notification } from '../message/notification.ts';
import type { Clock } from './clock.ts';
import { Folding } from './folding.ts';
import { Holding } from './holding.ts';
import type { Policy, Reason } from './policy.ts';
import { quietFor } from './quiet-hours.ts';
import { TokenBucket } from './token-bucket.ts';

/** Milliseconds after which what the rate held back is summed up. */
const SUMMARY_MS = 60_000;

/** @returns why a sink is never told such a thing; undefined where it is */
export function unwanted(
  { level: mildest, contexts, excludeContexts }: Policy,
  { level, context }: Pick<Notification, 'level' | 'context'>,
): Reason | undefined {
  if (gravity(level) < gravity(mildest)) return 'level';
  if (excludeContexts.includes(context)) return 'context';
  return contexts.length > 0 && !contexts.includes(context) ? 'context' : undefined;
}

/** Decides by a sink's policy when it is told what it wants; of what it is not told now, summaries come out later. */
export class Gate {
  readonly #policy: Policy;
  readonly #clock: Clock;
  readonly #bucket: TokenBucket | undefined;
  readonly #reserve: TokenBucket | undefined;
  readonly #folding: Folding | undefined;
  readonly #quiet: Holding;
  readonly #digest: Holding;
  readonly #overflow: Holding;

  /** @param release takes the summaries */
  constructor(policy: Policy, clock: Clock, release: (summary: Notification) => void) {
    const { rate, fold } = policy;
    this.#policy = policy;
    this.#clock = clock;
    this.#bucket = rate === undefined ? undefined : new TokenBucket(rate, clock);
    this.#reserve = rate === undefined ? undefined : new TokenBucket(rate, clock);
    this.#folding = fold === 0 ? undefined : new Folding(fold, clock, release);
    this.#quiet = new Holding(clock, release);
    this.#digest = new Holding(clock, release);
    this.#overflow = new Holding(clock, release);
  }

  /** @returns undefined where it is to go out now; what is not is counted for a summary */
  pass(candidate: Notification): Reason | undefined {
    const { level } = candidate;
    const { digest, quietHours } = this.#policy;
    const quiet =
      quietHours === undefined || level === 'error' ? undefined : quietFor(quietHours, this.#clock.now());
    if (quiet !== undefined) {
      this.#quiet.hold(candidate, quiet);
      return 'quiet hours';
    }
    if (digest > 0 && level !== 'error') {
      this.#digest.hold(candidate, digest);
      return 'digest';
    }
    if (this.#folding?.fold(candidate) === true) return 'duplicate';
    const bucket = level === 'error' ? this.#reserve : this.#bucket;
    if (bucket?.take() === false) {
      this.#overflow.hold(candidate, SUMMARY_MS);
      return 'rate';
    }
    return undefined;
  }

  /** Lets the summaries of all that is held out now. */
  flush(): void {
    this.#folding?.flush();
    this.#quiet.flush();
    this.#digest.flush();
    this.#overflow.flush();
  }
}
