import type { Era, Principal } from '../definition/context.ts';
import type { Log } from '../log/log.ts';
import type { StateSeal } from './state-seal.ts';

/** What every connection of one served process shares. */
export interface Shared {
  readonly log: Log;
  readonly seal: StateSeal;
}

/** What is known of a caller before its first request. */
export interface Connection {
  readonly era: Era;
  readonly principal: Principal;
  /** The stdio process. Over HTTP there is none: principal and client stand for it. */
  readonly session?: string;
}
