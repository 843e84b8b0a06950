import { DEFAULT_CONTEXT, type Level, type Notification } from './notification.ts';
import { escapeLine } from './safe-text.ts';

const LEVEL_WORDS: Readonly<Record<Level, string>> = { info: 'Info', warn: 'Warning', error: 'Error' };

const MAX_CALLER_CODE_POINTS = 140;

/** Who speaks, on one line: `Claude Code · my-project`. Undefined if it is not known. */
export function callerOf({ caller }: Pick<Notification, 'caller'>): string | undefined {
  return caller === undefined || caller === '' ? undefined : escapeLine(caller, MAX_CALLER_CODE_POINTS);
}

/** A title on one line: `Warning: safety · Claude Code · my-project`. */
export function titleOf(notification: Notification): string {
  const { level, context } = notification;
  const topic = context === DEFAULT_CONTEXT ? '' : `: ${escapeLine(context)}`;
  const caller = callerOf(notification);
  return `${LEVEL_WORDS[level]}${topic}${caller === undefined ? '' : ` · ${caller}`}`;
}
