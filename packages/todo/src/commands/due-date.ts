import { DAY, dayOfWeek, formatDate, parseWallTime } from '@deskside/core/dates';
import { StartError } from '@deskside/core/errors';
import { localDate } from '../store/recurrence.ts';

/** In the order of `dayOfWeek`. */
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** On the clock of this machine: `2026-11-30` */
export function localToday(): string {
  return localDate(new Date());
}

/** The forms of a date, for descriptions of flags. */
export const DATE_FORMS = 'a date such as 2026-11-30, today, tomorrow, fri (the next one), +3d or +2w';

/**
 * Reads a date as people write it.
 *
 * @param today `2026-11-30`
 * @param flag its name in the error
 * @returns `2026-12-01`; other dates unchanged, for `readDueDate`
 */
export function personDate(text: string, today: string, flag: string): string {
  const days = daysFrom(text.trim().toLowerCase(), today);
  if (days === undefined) {
    if (/^\s*(?:\d{4}-\d{2}-\d{2}\s*)?$/.test(text)) return text;
    throw new StartError(`${flag} must be ${DATE_FORMS}.`);
  }
  return formatDate((parseWallTime(today) ?? 0) + days * DAY);
}

function daysFrom(word: string, today: string): number | undefined {
  if (word === 'today') return 0;
  if (word === 'tomorrow') return 1;
  const [, count, unit] = /^\+(\d{1,4})([dw])$/.exec(word) ?? [];
  if (count !== undefined) return Number(count) * (unit === 'w' ? 7 : 1);
  const weekday = word.length < 3 ? -1 : WEEKDAYS.findIndex((name) => name.startsWith(word));
  if (weekday === -1) return undefined;
  const ahead = (weekday - dayOfWeek(parseWallTime(today) ?? 0) + 7) % 7;
  return ahead === 0 ? 7 : ahead;
}
