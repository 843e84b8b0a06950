import { DAY, formatDate, parseWallTime } from '@deskside/core/dates';
import { StartError } from '@deskside/core/errors';
import { localDate, nextOf, weekdayOf } from '../store/recurrence.ts';

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
  const word = text.trim().toLowerCase();
  const start = parseWallTime(today) ?? 0;
  const [, count, unit] = /^\+(\d{1,4})([dw])$/.exec(word) ?? [];
  const weekday = weekdayOf(word);
  if (word === 'today') return today;
  if (word === 'tomorrow') return formatDate(start + DAY);
  if (count !== undefined) return formatDate(start + Number(count) * (unit === 'w' ? 7 : 1) * DAY);
  if (weekday !== undefined) return formatDate(nextOf([weekday], start));
  if (/^(?:\d{4}-\d{2}-\d{2})?$/.test(word)) return text;
  throw new StartError(`${flag} must be ${DATE_FORMS}.`);
}
