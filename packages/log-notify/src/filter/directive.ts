import type { Level } from '../message/levels.ts';

/** How much a directive lets through; `debug` and `trace` let all of it, as `info` does. */
export type Verbosity = 'off' | 'error' | 'warn' | 'info' | 'debug' | 'trace';

/** One rule of a filter: what it is about, and how much of that it lets through. */
export interface Directive {
  /** `llm_notify::warn`; empty for every target. */
  readonly target: string;
  /** The context it is about; undefined for every context. */
  readonly context: string | undefined;
  readonly verbosity: Verbosity;
}

const RANKS: Readonly<Record<Verbosity, number>> = { off: 0, error: 1, warn: 2, info: 3, debug: 4, trace: 5 };
const NEEDED: Readonly<Record<Level, number>> = { error: 1, warn: 2, info: 3 };

export function lets(verbosity: Verbosity, level: Level): boolean {
  return RANKS[verbosity] >= NEEDED[level];
}

/** @returns undefined for a word that is no verbosity; case does not matter */
export function verbosityOf(word: string): Verbosity | undefined {
  switch (word.toLowerCase()) {
    case 'off':
      return 'off';
    case 'error':
      return 'error';
    case 'warn':
    case 'warning':
      return 'warn';
    case 'info':
      return 'info';
    case 'debug':
      return 'debug';
    case 'trace':
      return 'trace';
    default:
      return undefined;
  }
}
