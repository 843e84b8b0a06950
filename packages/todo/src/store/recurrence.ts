import { DAY, dayOfWeek, formatDate, localTime, parseWallTime } from '@deskside/core/dates';
import type { Task } from './task-store.ts';

const FORM =
  /^(?:(day|weekday|week|month|year)|([2-9]|[1-9]\d) (days|weeks|months|years))( on (?:[1-9]|[12]\d|3[01]))?$/;
const PARTS = /^(?:(\d+) )?(day|weekday|week|month|year)s?(?: on (\d+))?$/;

/** In the order of a week. `dayOfWeek` begins with Sunday. */
const NAMES = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const WEEK = NAMES.map((name) => name.slice(0, 3));
const WEEKDAYS = WEEK.slice(0, 5);

/**
 * @param text how often a task comes back, as people write it: `Every 2 weeks`, `Mondays and Thursdays`
 * @returns the form that is stored: `2 weeks`, `month on 31`, `mon and thu`; undefined for any other text
 */
export function everyOf(text: string): string | undefined {
  const words = text
    .trim()
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .replace(/^every /, '');
  const days = daysOf(words);
  if (days !== undefined) return days;
  const [, count = '1', unit = '', day] = PARTS.exec(words) ?? [];
  const often = Number(count) === 1 ? unit : `${Number(count)} ${unit}s`;
  const every = day === undefined ? often : `${often} on ${Number(day)}`;
  const hasDay = day === undefined || unit === 'month' || unit === 'year';
  return hasDay && FORM.test(every) ? every : undefined;
}

/** @param word `thu` or `thursday` @returns `thu` */
export function weekdayOf(word: string): string | undefined {
  return word.length < 3 ? undefined : NAMES.find((name) => name.startsWith(word))?.slice(0, 3);
}

/** @param text days of the week: `mon, wed and fri` */
function daysOf(text: string): string | undefined {
  const words = text.split(/(?:,| and |,? & | )+/);
  const named = new Set(words.map((word) => weekdayOf(word.replace(/days$/, 'day'))));
  if (named.has(undefined)) return undefined;
  const days = WEEK.filter((day) => named.has(day));
  if (days.length === WEEK.length) return 'day';
  if (String(days) === String(WEEKDAYS)) return 'weekday';
  return days.join(', ').replace(/, (?=\w+$)/, ' and ');
}

/** On the clock of this machine: `2026-11-30` */
export function localDate(time: Date): string {
  return formatDate(localTime(time.getTime() / 1000));
}

/** What the next one of a recurring task does not share with it. */
export interface Recurrence {
  readonly dueDate: string;
  /** The day that the month of `dueDate` does not have, and later ones may. */
  readonly seriesDay: number | null;
}

/**
 * When a task is due again that is completed today: the first date of its series after its due date and after today.
 * Without a due date the series begins today.
 *
 * @param today `2026-11-30`
 * @returns undefined if the task is completed or does not come back
 */
export function recurrenceOf(
  { completed, every, dueDate }: Pick<Task, 'completed' | 'every' | 'dueDate'>,
  today: string,
): Recurrence | undefined {
  if (completed || every === null || everyOf(every) !== every) return undefined;
  const first = dueDate ?? today;
  const after = first > today ? first : today;
  const [, count = '1', unit, on] = PARTS.exec(every) ?? [];
  if (unit === 'month' || unit === 'year') {
    const months = Number(count) * (unit === 'year' ? 12 : 1);
    const day = Number(on ?? first.slice(8));
    let next = first;
    for (let passed = 0; next <= after; passed += months) {
      next = monthsAfter(first, passed, day);
      if (isTooLate(next)) return undefined;
    }
    return { dueDate: next, seriesDay: Number(next.slice(8)) < day ? day : null };
  }
  const [start, last] = [parseWallTime(first) ?? 0, parseWallTime(after) ?? 0];
  const step = Number(count) * (unit === 'week' ? 7 : 1) * DAY;
  const isInterval = unit === 'day' || unit === 'week';
  const days = unit === 'weekday' ? WEEKDAYS : every.split(/, | and /);
  const next = isInterval ? start + (Math.floor((last - start) / step) + 1) * step : nextOf(days, last);
  const date = formatDate(next);
  return isTooLate(date) ? undefined : { dueDate: date, seriesDay: null };
}

/** Dates have four digits for the year. */
function isTooLate(date: string): boolean {
  return !/^\d{4}-\d{2}-\d{2}$/.test(date);
}

/** The first of these days of the week after a date. */
export function nextOf(days: readonly string[], date: number): number {
  let next = date + DAY;
  while (!days.includes(WEEK[(dayOfWeek(next) + 6) % 7] ?? '')) next += DAY;
  return next;
}

/** The day of a later month, or the last one of a month that does not have it. */
function monthsAfter(date: string, months: number, day: number): string {
  const all = Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1 + months;
  const [year, month] = [Math.floor(all / 12), all % 12];
  const days = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return formatDate(Date.UTC(year, month, Math.min(day, days)) / 1000);
}
