import type { Clock } from '@deskside/core/base';
import { quietHoursLeftMs, RateLimit } from '@deskside/desktop';
import type { Notification } from '../notification/notification.ts';
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

export type Limits = ReturnType<typeof createLimits>;

/**
 * What a sink's policy holds back: what is too much, exact repeats, and what comes in quiet hours or waits for a digest.
 *
 * @param personQuietMs how long the person wants no notifications of this caller; without a caller, of any
 */
export function createLimits(policy: Policy, clock: Clock, personQuietMs: (caller?: string) => number) {
  const { rate, foldMs, digestMs, quietHours } = policy;
  const limit = new RateLimit(rate, clock);
  /** Content to the time when it came. */
  const watched = new Map<string, number>();
  return { hold, quietMs };

  /** @param isPaused the sink cannot deliver now @returns undefined if it may be delivered now */
  function hold(notification: Notification, isPaused: boolean): Hold | undefined {
    const { level, limitKey = '', caller = '' } = notification;
    const nowMs = clock.now().getTime();
    const held = (reason: Hold['reason'], delayMs: number): Hold => ({
      reason,
      due: nowMs + (level === 'error' ? delayMs : Math.max(delayMs, digestMs)),
      isRepeat: reason === 'duplicate',
    });
    // Errors of a caller have a second bucket of the same size.
    const bucket = `${level === 'error' ? 'error' : 'other'} ${limitKey}`;
    if (limit.take(bucket) > 0) return held('rate', SUMMARY_MS);
    const repeatMs = foldMs === 0 ? 0 : repeatLeftMs(contentKey(notification), nowMs);
    if (repeatMs > 0) return held('duplicate', repeatMs);
    if (level === 'error') return undefined;
    if (quietMs(caller) > 0) return held('quiet hours', 0);
    if (digestMs > 0) return held('digest', 0);
    return isPaused && rate !== undefined ? held('failing', 0) : undefined;
  }

  /** Milliseconds until quiet hours and "Not now" end. */
  function quietMs(caller?: string): number {
    const hoursMs = quietHours === undefined ? 0 : quietHoursLeftMs(quietHours, clock.now());
    return Math.max(hoursMs, personQuietMs(caller));
  }

  /** Time for which this content is held as a repeat; 0 if it is the first. */
  function repeatLeftMs(key: string, nowMs: number): number {
    const cameMs = watched.get(key);
    // After a setback of the time of day it is not known.
    if (cameMs !== undefined && cameMs <= nowMs && nowMs < cameMs + foldMs) return cameMs + foldMs - nowMs;
    const [oldest] = watched.keys();
    if (oldest !== undefined && watched.size >= MAX_WATCHED) watched.delete(oldest);
    watched.delete(key);
    watched.set(key, nowMs);
    return 0;
  }
}
