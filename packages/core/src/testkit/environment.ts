import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface FixedClock {
  readonly now: () => Date;
  /** Moves the clock by a number of milliseconds. */
  readonly advance: (ms: number) => void;
}

/**
 * A clock that only `advance` moves.
 *
 * @param at an ISO 8601 date-time
 * @throws RangeError if it is not one
 */
export function fixedClock(at: string): FixedClock {
  let time = Date.parse(at);
  if (Number.isNaN(time)) throw new RangeError(`"${at}" is not a date-time.`);
  return {
    now: () => new Date(time),
    advance: (ms) => {
      time += ms;
    },
  };
}

export interface TemporaryFolder extends Disposable {
  readonly path: string;
}

/** Creates an empty folder. `using folder = temporaryFolder()` deletes it, with its content, at the end of the block. */
export function temporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'deskside-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
