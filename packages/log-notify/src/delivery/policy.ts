import type { Level } from '../message/levels.ts';
import type { QuietHours } from './quiet-hours.ts';
import type { Rate } from './token-bucket.ts';

/** What one sink is to be told, and how often. */
export interface Policy {
  /** The mildest level it takes. */
  readonly level: Level;
  /** Empty for all. */
  readonly contexts: readonly string[];
  readonly excludeContexts: readonly string[];
  /** Undefined: as many as come. Errors have as much again for themselves. */
  readonly rate: Rate | undefined;
  /** Milliseconds for which repeats are folded into one; 0 folds nothing. */
  readonly fold: number;
  /** Milliseconds for which everything but errors is gathered into one summary; 0 gathers nothing. */
  readonly digest: number;
  /** When everything but errors waits for the end of them. */
  readonly quietHours: QuietHours | undefined;
  /** How many notifications may wait for it. */
  readonly queue: number;
}

/** Why a sink was not told now. */
export type Reason =
  | 'filter'
  | 'level'
  | 'context'
  | 'unavailable'
  | 'failing'
  | 'quiet hours'
  | 'digest'
  | 'duplicate'
  | 'rate'
  | 'full';
