import { type Clock, RateLimit } from '@deskside/core/base';
import type { Policy, QuietHours } from '../sinks/define-sink.ts';
import { type Level, type Notification, OWN_CONTEXT, severity } from '../notification/notification.ts';
import { contentKey } from '../notification/tally.ts';
import type { Row, SinkRecords, State, Waiting } from './sink-records.ts';
import { isSummary, summarized } from './summary.ts';

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

/** Why a sink does not deliver a notification now. */
export type HoldReason = 'rate' | 'duplicate' | 'quiet hours' | 'digest' | 'failing';

/** What becomes of an offered notification. */
export interface Decision {
  /** Undefined if it may be delivered now. */
  readonly reason: HoldReason | undefined;
  readonly state: State;
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
  /** The next summary of what is held; undefined if nothing is. */
  #heldDue: Due | undefined;
  /** The end of a digest period; undefined outside of one. */
  #digestDue: Due | undefined;

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
    if (policy.digestMs === 0) this.#digestDue = undefined;
    this.#policy = policy;
  }

  /** @param isPaused the sink cannot deliver now */
  offer(notification: Notification, isPaused: boolean): Decision {
    const { level, limitKey = '', caller = '' } = notification;
    if (!this.#takeToken(level, limitKey)) return this.#hold('rate', SUMMARY_MS);
    const repeatMs = this.#repeatMs(notification);
    if (repeatMs > 0) return this.#hold('duplicate', repeatMs);
    const reason = this.#laterReason(level, caller);
    if (reason !== undefined) return { reason, state: 'later', isRepeat: false };
    const waitsForSummary = isPaused && level !== 'error' && this.#policy.rate !== undefined;
    if (waitsForSummary) return this.#hold('failing', 0);
    return { reason: undefined, state: 'queued', isRepeat: false };
  }

  /** Moves what quiet hours hold now out of the queue. @returns the others */
  withoutQuiet(rows: readonly Row[]): readonly Row[] {
    if (this.#quietMs() === undefined) return rows;
    // A summary comes with its most important part.
    const highest = Math.max(...rows.map(({ level }) => level));
    const isQuiet = ({ level, part, notification: { caller } }: Row) =>
      severity('error') > (part === null ? level : highest) &&
      this.#quietMs(part === null ? (caller ?? '') : '') !== undefined;
    this.#records.move(rows.filter(isQuiet), 'later');
    return rows.filter((row) => !isQuiet(row));
  }

  /** Milliseconds until `release` may do something; undefined if nothing is held. */
  waitMs(waiting: Waiting): number | undefined {
    const { held, heldErrors, later } = waiting;
    const waits = [
      ...(held + heldErrors > 0 ? [this.#heldWaitMs(waiting)] : []),
      ...(later > 0 ? [this.#laterWaitMs(waiting)] : []),
    ];
    return waits.length === 0 ? undefined : Math.max(0, Math.min(...waits));
  }

  /**
   * Puts the summaries that are due into the queue. They pass the throttle, quiet hours and the digest too.
   *
   * @param maxCodePoints what the sink shows of a message
   */
  release(waiting: Waiting, maxCodePoints: number): void {
    let { later } = waiting;
    const { held, heldErrors } = waiting;
    if (held + heldErrors > 0 && this.#untilMs(this.#heldDue) <= 0) {
      const reason = this.#laterReason('info');
      const isHeldOn = held > 0 && reason !== undefined;
      if (isHeldOn) {
        this.#records.move(this.#of('held'), 'later');
        later += held;
      }
      const isErrorReleased =
        heldErrors === 0 || this.#summarize('error', this.#of('held', true), maxCodePoints);
      const isReleased = held === 0 || isHeldOn || this.#summarize('warn', this.#of('held'), maxCodePoints);
      if (isErrorReleased && isReleased) this.#heldDue = undefined;
    }
    if (later > 0 && this.#laterWaitMs(waiting) <= 0) {
      if (this.#summarize('warn', this.#records.in('later'), maxCodePoints)) this.#digestDue = undefined;
    }
  }

  /** When the server ends: what only the throttle or a repeat held back, at once. Quiet hours and digests stay. */
  releaseAtEnd(waiting: Waiting, maxCodePoints: number): void {
    this.#queue(this.#of('held', true), maxCodePoints);
    if (this.#laterReason('info') === undefined) this.#queue(this.#of('held'), maxCodePoints);
    if (this.#laterWaitMs(waiting) <= 1) this.#queue(this.#records.in('later'), maxCodePoints);
  }

  #of(state: State, isError = false): readonly Row[] {
    return this.#records.in(state).filter(({ level }) => (level === severity('error')) === isError);
  }

  /** A summary passes the throttle. @returns false if it has to wait */
  #summarize(level: Level, rows: readonly Row[], maxCodePoints: number): boolean {
    if (!this.#takeToken(level, OWN_CONTEXT)) return false;
    this.#queue(rows, maxCodePoints);
    return true;
  }

  #queue(rows: readonly Row[], maxCodePoints: number): void {
    for (const item of summarized(rows, maxCodePoints, this.#clock)) {
      this.#records.move(item.rows, 'queued', isSummary(item) ? item.notification.id : null);
    }
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

  /** What has no time is due. */
  #untilMs(due: Due | undefined): number {
    if (due === undefined) return -Infinity;
    return Math.min(due.elapsedMs - this.#clock.elapsedMs(), due.wallMs - this.#clock.now().getTime());
  }

  #heldWaitMs({ heldErrors }: Waiting): number {
    const level = heldErrors > 0 ? 'error' : 'warn';
    return Math.max(this.#untilMs(this.#heldDue), this.#limit.waitMs(bucketOf(level, OWN_CONTEXT)));
  }

  #laterWaitMs({ laterSince }: Waiting): number {
    const { digestMs } = this.#policy;
    // What an earlier process held back has waited for a part of the period.
    if (digestMs > 0 && Number.isFinite(laterSince)) {
      const waitedMs = this.#clock.now().getTime() - laterSince;
      this.#digestDue ??= this.#after(Math.max(0, digestMs - Math.max(0, waitedMs)));
    }
    const tokenMs = this.#limit.waitMs(bucketOf('warn', OWN_CONTEXT));
    return Math.max(this.#quietMs() ?? 0, this.#untilMs(this.#digestDue), tokenMs);
  }

  /** Time for which this notification is held as a repeat; 0 if it is the first. */
  #repeatMs(notification: Notification): number {
    const { foldMs } = this.#policy;
    if (foldMs === 0) return 0;
    const key = contentKey(notification);
    const leftMs = this.#untilMs(this.#watched.get(key));
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

  #hold(reason: HoldReason, delayMs: number): Decision {
    if (this.#heldDue === undefined || delayMs < this.#untilMs(this.#heldDue)) {
      this.#heldDue = this.#after(delayMs);
    }
    return { reason, state: 'held', isRepeat: reason === 'duplicate' };
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
