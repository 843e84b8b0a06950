import { closeSync, openSync, statSync, utimesSync } from 'node:fs';
import { targetOf } from './rotation.ts';

/** How often a reader that follows a file shows that it is there. */
export const FOLLOWER_PERIOD_MS = 2000;

/** Age after which a follower counts as gone. A busy or slow machine delays the periods. */
const FRESH_MS = 10_000;

/** True if a reader follows the file now: a person can see what is written to it. */
export function isFollowed(path: string, now: Date): boolean {
  try {
    return Math.abs(now.getTime() - statSync(markOf(path)).mtimeMs) < FRESH_MS;
  } catch {
    // It does not exist, or its folder may not be looked into.
    return false;
  }
}

/**
 * Shows that a reader follows the file. Errors are ignored: the mark only improves the answers of the tool.
 *
 * @param time 1970 if the reader has ended: another one shows itself again within its period
 */
export function markFollowed(path: string, time = new Date()): void {
  try {
    closeSync(openSync(markOf(path), 'a', 0o600));
    utimesSync(markOf(path), time, time);
  } catch {
    // The folder does not exist yet, or cannot be written.
  }
}

function markOf(path: string): string {
  return `${targetOf(path)}.tail`;
}
