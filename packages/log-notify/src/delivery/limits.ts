import type { Clock } from '@deskside/core/base';
import { quietHoursLeftMs, RateLimit } from '@deskside/desktop';
import type { Level, Notification } from '../notification/notification.ts';
import { severity } from '../notification/notification.ts';
import { contentKey } from '../notification/summary.ts';
import type { Policy } from '../sinks/define-sink.ts';

/** Time after which a summary reports what the rate limit held back. */
const SUMMARY_MS = 60_000;

/** How many different notifications are watched for repeats at the same time. */
const MAX_WATCHED = 500;

/** What holds a notification back. */
export interface Hold {
  readonly reason: 'rate' | 'duplicate' | 'quiet hours' | 'digest' | 'failing';
  /** When its summary is due, in milliseconds since 1970. */
  readonly due: number;
  readonly isRepeat: boolean;
}

/** @returns undefined if the policy accepts the level and the context */
export function rejectionReason(
  { level: minimum, contexts, excludeContexts }: Policy,
  { level, context }: Pick<Notification, 'level' | 'context'>,
): 'level' | 'context' | undefined {
  if (severity(level) < severity(minimum)) return 'level';
  if (excludeContexts.includes(context)) return 'context';
  return contexts.length > 0 && !contexts.includes(context) ? 'context' : undefined;
}

/** What a sink's policy holds back: what is too much, exact repeats, and what comes in quiet hours or waits for a digest. */
export class Limits {
  readonly #policy: Policy;
  readonly #clock: Clock;
  readonly #personQuietMs: (caller?: string) => number;
  readonly #limit: RateLimit;
  /** Content to the time when it came. */
  readonly #watched = new Map<string, number>();

  /** @param personQuietMs how long the person wants no notifications of this caller; without a caller, of any */
  constructor(policy: Policy, clock: Clock, personQuietMs: (caller?: string) => number) {
    this.#policy = policy;
    this.#clock = clock;
    this.#personQuietMs = personQuietMs;
    this.#limit = new RateLimit(policy.rate, clock);
  }

  /** @param isPaused the sink cannot deliver now @returns undefined if it may be delivered now */
  hold(notification: Notification, isPaused: boolean): Hold | undefined {
    const { level, limitKey = '', caller = '' } = notification;
    const { digestMs, rate } = this.#policy;
    const hold = (reason: Hold['reason'], delayMs: number): Hold => ({
      reason,
      due: this.#nowMs + (level === 'error' ? delayMs : Math.max(delayMs, digestMs)),
      isRepeat: reason === 'duplicate',
    });
    if (this.#limit.take(bucketOf(level, limitKey)) > 0) return hold('rate', SUMMARY_MS);
    const repeatMs = this.#repeatMs(notification);
    if (repeatMs > 0) return hold('duplicate', repeatMs);
    if (level === 'error') return undefined;
    if (this.quietMs(caller) > 0) return hold('quiet hours', 0);
    if (digestMs > 0) return hold('digest', 0);
    return isPaused && rate !== undefined ? hold('failing', 0) : undefined;
  }

  /** Milliseconds until quiet hours and "Not now" end. */
  quietMs(caller?: string): number {
    const { quietHours } = this.#policy;
    const hoursMs = quietHours === undefined ? 0 : quietHoursLeftMs(quietHours, this.#clock.now());
    return Math.max(hoursMs, this.#personQuietMs(caller));
  }

  get #nowMs(): number {
    return this.#clock.now().getTime();
  }

  /** Time for which this notification is held as a repeat; 0 if it is the first. */
  #repeatMs(notification: Notification): number {
    const { foldMs } = this.#policy;
    if (foldMs === 0) return 0;
    const nowMs = this.#nowMs;
    const key = contentKey(notification);
    const cameMs = this.#watched.get(key);
    // After a setback of the time of day it is not known.
    if (cameMs !== undefined && cameMs <= nowMs && nowMs < cameMs + foldMs) return cameMs + foldMs - nowMs;
    const [oldest] = this.#watched.keys();
    if (oldest !== undefined && this.#watched.size >= MAX_WATCHED) this.#watched.delete(oldest);
    this.#watched.delete(key);
    this.#watched.set(key, nowMs);
    return 0;
  }
}

/** Errors of a caller have a second bucket of the same size. */
function bucketOf(level: Level, caller: string): string {
  return `${level === 'error' ? 'error' : 'other'} ${caller}`;
}
