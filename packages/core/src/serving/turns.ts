// Not the global: fake timers of a test would stop the turns.
import { setImmediate } from 'node:timers';
import { getOrAdd } from '../base/values.ts';
import { systemClock } from '../base/clock.ts';

/** Begun in one turn of the event loop, so that nobody waits longer for another's burst: the rest waits for later turns. */
const MAX_BEGUN_MS = 20;
/** Requests that come together begin before any of them has used time. */
const MAX_BEGUN = 32;

/** By caller, which is a session or a connection: the requests that wait. None is empty. */
const waiting = new Map<unknown, (() => void)[]>();
/** Of this turn of the event loop. */
let begun = 0;
let beganAtMs = 0;

/**
 * Callers share the event loop in turns. A request that finds it free begins at once, as most do. In a burst, one begins per
 * turn of the loop, of each caller after the other.
 *
 * @returns undefined if the request may begin now
 */
export function turnOf(caller: unknown): Promise<void> | undefined {
  if (begun === 0) {
    beganAtMs = systemClock.elapsedMs();
    setImmediate(endTurn);
  }
  begun += 1;
  const isFree = begun <= MAX_BEGUN && (begun === 1 || systemClock.elapsedMs() - beganAtMs < MAX_BEGUN_MS);
  if (waiting.size === 0 && isFree) return undefined;
  const { promise, resolve } = Promise.withResolvers<void>();
  getOrAdd(waiting, caller, () => []).push(resolve);
  return promise;
}

function endTurn(): void {
  begun = 0;
  const [next] = waiting;
  if (next === undefined) return;
  const [caller, requests] = next;
  requests.shift()?.();
  begun = 1;
  // Its next request comes after one of each other caller.
  waiting.delete(caller);
  if (requests.length > 0) waiting.set(caller, requests);
  setImmediate(endTurn);
}
