import { formatDateTime, localTime } from '@deskside/core/dates';
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
  return titleParts(notification).join(' · ');
}

/** The same for where people see many programs: `Claude Code · my-project · Warning: safety`. */
export function callerFirst(notification: Notification): string {
  return titleParts(notification).toReversed().join(' · ');
}

function titleParts(notification: Notification): readonly string[] {
  const { level, context, title } = notification;
  if (title !== undefined) return [escapeLine(title, MAX_CALLER_CODE_POINTS)];
  const topic = context === DEFAULT_CONTEXT ? '' : `: ${escapeLine(context)}`;
  const caller = callerOf(notification);
  return [`${LEVEL_WORDS[level]}${topic}`, ...(caller === undefined ? [] : [caller])];
}

const SYMBOLS: Readonly<Record<Level, string>> = { info: 'ℹ️', warn: '⚠️', error: '🚨' };

/** A title after the symbol of the level, for chats. */
export function marked({ level }: Notification, title: string): string {
  return `${SYMBOLS[level]} ${title}`;
}

/** The local time, with the date on another day: `10:42`, `2026-11-21 10:42`. */
export function datedTime(time: number, now: Date): string {
  const [came, shown] = [time, now.getTime()].map((each) =>
    formatDateTime(localTime(each / 1000)).split('T'),
  );
  const [date, clock = ''] = came ?? [];
  const minute = clock.slice(0, 'hh:mm'.length);
  return `${date === shown?.[0] ? '' : `${date} `}${minute}`;
}

/** A notification that comes later than this shows its time. */
const LATE_MS = 60_000;

/** A title after the time of a notification that comes late: `10:42 · Warning`. */
export function datedTitle(notification: Notification, now: Date, title = titleOf(notification)): string {
  const { time } = notification;
  return now.getTime() - time <= LATE_MS ? title : `${datedTime(time, now)} · ${title}`;
}
