import type { Clock } from '@deskside/core/base';
import { quietHoursLeftMs, RateLimit } from '@deskside/desktop';
import type { Policy } from '../sinks/define-sink.ts';
import { type Level, type Notification, OWN_CONTEXT, severity } from '../notification/notification.ts';
import { contentKey } from '../notification/tally.ts';
import { isError, type Row, type SinkRecords, type Waiting } from './sink-records.ts';

/** Time after which a summary reports what the rate limit held back. */
const SUMMARY_MS = 60_000;

/** How many different notifications are watched for repeats at the same time. */
const MAX_WATCHED = 500;

/** Why a sink does not deliver a notification now. */
export type HoldReason = 'rate' | 'duplicate' | 'quiet hours' | 'digest' | 'failing';

/** What holds a notification back. */
export interface Hold {
  readonly reason: HoldReason;
  /** When its summary is due. */
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

/**
 * A sink's rules between its filter and its queue, in this order: throttle, exact repeats, quiet hours and digest. It
 * passes a notification or holds it for a summary, and drops nothing. What is held comes in one summary when the first
 * of it is due. It has no timers: `waitMs` says when to call `release`.
 */
export class Pipeline {
  readonly #clock: Clock;
  readonly #records: SinkRecords;
  readonly #personQuietMs: (caller?: string) => number;
  #policy: Policy;
  #limit: RateLimit;
  /** Content to the time when it came, and until which repeats are held. */
  readonly #watched = new Map<string, { readonly sinceMs: number; readonly untilMs: number }>();

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

  /** Replaces the policy. What is held stays held, but waits for no digest if there is none any more. */
  update(policy: Policy): void {
    if (JSON.stringify(policy.rate) !== JSON.stringify(this.#policy.rate)) {
      this.#limit = new RateLimit(policy.rate, this.#clock);
    }
    if (policy.digestMs < this.#policy.digestMs) this.#records.hurry();
    this.#policy = policy;
  }

  /** @param isPaused the sink cannot deliver now @returns undefined if it may be delivered now */
  offer(notification: Notification, isPaused: boolean): Hold | undefined {
    const { level, limitKey = '', caller = '' } = notification;
    const { digestMs, rate } = this.#policy;
    const hold = (reason: HoldReason, delayMs: number): Hold => ({
      reason,
      due: this.#nowMs + (level === 'error' ? delayMs : Math.max(delayMs, digestMs)),
      isRepeat: reason === 'duplicate',
    });
    if (!this.#takeToken(level, limitKey)) return hold('rate', SUMMARY_MS);
    const repeatMs = this.#repeatMs(notification);
    if (repeatMs > 0) return hold('duplicate', repeatMs);
    if (level === 'error') return undefined;
    if (this.#quietMs(caller) > 0) return hold('quiet hours', 0);
    if (digestMs > 0) return hold('digest', 0);
    return isPaused && rate !== undefined ? hold('failing', 0) : undefined;
  }

  /** Moves what quiet hours hold now out of the queue. @returns the others */
  withoutQuiet(rows: readonly Row[]): readonly Row[] {
    if (this.#quietMs() === 0) return rows;
    const isQuiet = ({ rank, state, notification: { caller } }: Row) =>
      !isError(rank) && this.#quietMs(state === 'summary' ? undefined : (caller ?? '')) > 0;
    this.#records.move(rows.filter(isQuiet), 'held');
    return rows.filter((row) => !isQuiet(row));
  }

  /** Milliseconds until `release` may do something; infinite if nothing is held. */
  waitMs({ held, heldErrors }: Waiting): number {
    return Math.max(0, Math.min(this.#errorsWaitMs(heldErrors), this.#heldWaitMs(held)));
  }

  /** Lets the summaries go that are due. They pass the throttle and quiet hours too, errors only the throttle. */
  release({ held, heldErrors }: Waiting): void {
    const isErrorDue = this.#errorsWaitMs(heldErrors) <= 0;
    if (isErrorDue && this.#takeToken('error', OWN_CONTEXT)) this.#records.summarize(true);
    const isDue = this.#heldWaitMs(held) <= 0;
    if (isDue && this.#takeToken('warn', OWN_CONTEXT)) this.#records.summarize(false);
  }

  /** When the server ends: what only the throttle or a repeat held back, at once. Quiet hours and digests stay. */
  releaseAtEnd({ held }: Waiting): void {
    this.#records.summarize(true);
    const isDue = this.#policy.digestMs === 0 || held.due <= this.#nowMs;
    if (isDue && this.#quietMs() === 0) this.#records.summarize(false);
  }

  get #nowMs(): number {
    return this.#clock.now().getTime();
  }

  #errorsWaitMs({ due }: Waiting['heldErrors']): number {
    return Math.max(due - this.#nowMs, this.#limit.waitMs(bucketOf('error', OWN_CONTEXT)));
  }

  #heldWaitMs({ due }: Waiting['held']): number {
    const tokenMs = this.#limit.waitMs(bucketOf('warn', OWN_CONTEXT));
    return Math.max(due - this.#nowMs, tokenMs, this.#quietMs());
  }

  #takeToken(level: Level, caller: string): boolean {
    return this.#limit.take(bucketOf(level, caller)) === 0;
  }

  /** Time for which this notification is held as a repeat; 0 if it is the first. */
  #repeatMs(notification: Notification): number {
    const { foldMs } = this.#policy;
    if (foldMs === 0) return 0;
    const nowMs = this.#nowMs;
    const key = contentKey(notification);
    // After a setback of the time of day it is not known.
    const leftMs = (each = { sinceMs: 0, untilMs: 0 }) => (each.sinceMs > nowMs ? 0 : each.untilMs - nowMs);
    const repeatMs = leftMs(this.#watched.get(key));
    if (repeatMs > 0) return repeatMs;
    this.#watched.delete(key);
    // The first in the order of the map ends first, unless the configuration changed.
    for (const [oldest, watched] of this.#watched) {
      if (leftMs(watched) > 0 && this.#watched.size < MAX_WATCHED) break;
      this.#watched.delete(oldest);
    }
    this.#watched.set(key, { sinceMs: nowMs, untilMs: nowMs + foldMs });
    return 0;
  }

  /** Milliseconds until quiet hours and "Not now" end. */
  #quietMs(caller?: string): number {
    const { quietHours } = this.#policy;
    const hoursMs = quietHours === undefined ? 0 : quietHoursLeftMs(quietHours, this.#clock.now());
    return Math.max(hoursMs, this.#personQuietMs(caller));
  }
}

/** Errors of a caller have a second bucket of the same size. */
function bucketOf(level: Level, caller: string): string {
  return `${level === 'error' ? 'error' : 'other'} ${caller}`;
}
