import { randomUUID } from 'node:crypto';
import type { Terminal } from '@deskside/desktop';
import { firstCodePoints } from '@deskside/core/text';

/** Root of a record's filter target: `llm_notify::<level>`. */
export const TARGET = 'llm_notify';

/** The contract's levels in order of severity, lowest first. */
export const LEVELS = ['info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];

/** The contract's contexts. Any other word is allowed. */
export const KNOWN_CONTEXTS = ['analysis', 'workflow', 'safety', 'performance', 'discovery'] as const;

export const DEFAULT_CONTEXT = 'llm';

/** Context of messages that log-notify itself writes. */
export const OWN_CONTEXT = 'log-notify';

const MAX_CONTEXT_CODE_POINTS = 64;

/** What a caller passes. Texts are raw: each sink escapes them for its own medium. */
export interface NotificationInput {
  readonly level: Level;
  readonly context: string;
  readonly message: string;
  /** Who sends it, for people: `Claude Code · my-project`. Not authenticated. */
  readonly caller?: string;
  /** The name of the caller's project. */
  readonly project?: string;
  /** The id of the caller's conversation. */
  readonly session?: string;
  /** The client's own name for itself. */
  readonly client?: string;
  /** What people read first. Default: level, context and caller. */
  readonly title?: string;
  /** Where a click on it leads. */
  readonly terminal?: Terminal;
  /** Default: a new one. The journal has the same. */
  readonly id?: string;
  /** Principal and session, for limits per caller. No sink shows it. */
  readonly limitKey?: string;
}

/** What the journal needs of a notification that the person has seen. */
export interface SeenNotification {
  readonly id: string;
  readonly caller?: string | undefined;
}

export interface Notification extends NotificationInput {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Of a message of log-notify itself: the notifications that a person has seen with it. */
  readonly summarizes?: readonly SeenNotification[];
}

export function createNotification(input: NotificationInput, time: number): Notification {
  return { id: randomUUID(), time, ...input };
}

/** Rank of a level for comparison: info 0, warn 1, error 2. */
export function severity(level: Level): number {
  return LEVELS.indexOf(level);
}

/** Unknown values become info. */
export function parseLevel(value: unknown): Level {
  return (typeof value === 'string' ? knownLevel(value) : undefined) ?? 'info';
}

/** Ignores case and accepts `warning`. @returns undefined for a word that is not a level */
export function knownLevel(text: string): Level | undefined {
  const word = text.trim().toLowerCase();
  return word === 'warning' ? 'warn' : LEVELS.find((level) => level === word);
}

/** What is no letter, digit or mark (a vowel sign is one), or is invisible; and the marks after it, as of an emoji. */
const SEPARATORS = /(?:[^\p{L}\p{M}\p{N}._-]|(?=\p{DI})\p{M})[^\p{L}\p{N}._-]*/gu;

/**
 * Normalizes a context for filters and display: lower case, letters and digits of any script, `.`, `_` and `-`, at
 * most 64 code points. An empty result becomes the default context.
 */
export function normalizeContext(value: unknown): string {
  if (typeof value !== 'string') return DEFAULT_CONTEXT;
  const plain = value
    .slice(0, 4 * MAX_CONTEXT_CODE_POINTS)
    .normalize('NFKC')
    .toLowerCase()
    // The lower case of İ.
    .replaceAll(/i\u0307+/g, 'i')
    .normalize('NFKC')
    .replaceAll(SEPARATORS, '-')
    .replaceAll(/^[\p{M}-]+/gu, '');
  // The end is cleaned last: the cut can leave a separator there.
  return firstCodePoints(plain, MAX_CONTEXT_CODE_POINTS).replaceAll(/-+$/g, '') || DEFAULT_CONTEXT;
}
