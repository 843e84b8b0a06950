import { Misconfigured, RetryLater } from '../sinks/sink.ts';
import { MAX_PAUSE_MS } from './circuit-breaker.ts';

/** After three attempts, a receiver that needs a correction is tried again this often, and at each reload. */
const CORRECTION_PAUSE_MS = 15 * 60_000;

/** Attempts after which a message goes behind the others. */
const BEHIND_AFTER = 3;

const MAX_ATTEMPTS = 20;

/** Age after which what waits counts as lost. */
export const MAX_AGE_DAYS = 7;
export const DAY_MS = 24 * 60 * 60 * 1000;

/** The attempts to deliver an item, all of which failed. */
export interface Tried {
  /** How many failed although the receiver had accepted something else since the one before. */
  readonly count: number;
  /** How many deliveries had worked at the last attempt. */
  readonly successes: number;
  /** Monotonic time of the next attempt. */
  readonly notBefore: number;
}

/**
 * An attempt counts only if the receiver accepted something since the one before: an outage counts against nothing.
 *
 * @param successes how many deliveries to the receiver have worked
 */
export function triedAgain(before: Tried | undefined, successes: number, nowMs: number): Tried {
  const isOwnFault = before !== undefined && successes > before.successes;
  const count = (before?.count ?? 0) + (isOwnFault ? 1 : 0);
  const pauseMs = count === 0 ? 0 : Math.min(CORRECTION_PAUSE_MS, 1000 * 2 ** count);
  return { count, successes, notBefore: nowMs + pauseMs };
}

/** True for a message that fails while others are delivered. */
export function isBehind(tried: Tried | undefined): boolean {
  return (tried?.count ?? 0) >= BEHIND_AFTER;
}

/** @returns why it is not tried again; undefined if it is */
export function endOf({ count }: Tried, ageMs: number): string | undefined {
  if (ageMs > MAX_AGE_DAYS * DAY_MS) return `it waited for ${MAX_AGE_DAYS} days`;
  return count >= MAX_ATTEMPTS ? `${MAX_ATTEMPTS} attempts failed` : undefined;
}

/** How long a receiver asks for a pause after this error, in milliseconds. */
export function requestedPauseMs(error: unknown, isLastAttempt: boolean): number {
  if (error instanceof Misconfigured) return isLastAttempt ? CORRECTION_PAUSE_MS : 0;
  return error instanceof RetryLater ? Math.min(error.delayMs, MAX_PAUSE_MS) : 0;
}
