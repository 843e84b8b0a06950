import { DAY, dayOfWeek, formatDate, localTime, parseWallTime } from '@deskside/core/dates';
import type { Task } from './task-store.ts';

const FORM =
  /^(?:(day|weekday|week|month|year)|([2-9]|[1-9]\d) (days|weeks|months|years))( on (?:[1-9]|[12]\d|3[01]))?$/;
const PARTS = /^(?:(\d+) )?(day|weekday|week|month|year)s?(?: on (\d+))?$/;

const SATURDAY = 6;
const SUNDAY = 0;

/**
 * @param text how often a task comes back, as people write it: `Every 2 weeks`
 * @returns the form that is stored: `2 weeks`, `month on 31`; undefined for any other text
 */
export function everyOf(text: string): string | undefined {
  const words = text
    .trim()
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .replace(/^every /, '');
  const [, count = '1', unit = '', day] = PARTS.exec(words) ?? [];
  const often = Number(count) === 1 ? unit : `${Number(count)} ${unit}s`;
  const every = day === undefined ? often : `${often} on ${Number(day)}`;
  const hasDay = day === undefined || unit === 'month' || unit === 'year';
  return hasDay && FORM.test(every) ? every : undefined;
}

/** On the clock of this machine: `2026-11-30` */
export function localDate(time: Date): string {
  return formatDate(localTime(time.getTime() / 1000));
}

/** What the next one of a recurring task does not share with it. */
export interface Recurrence {
  readonly dueDate: string;
  readonly every: string;
}

/**
 * When a task is due again that is completed today: the first date of its series after its due date and after today.
 * Without a due date the series begins today. If a month is too short for the day, `every` remembers it.
 *
 * @param today `2026-11-30`
 * @returns undefined if the task is completed or does not come back
 */
export function recurrenceOf(
  { completed, every, dueDate }: Pick<Task, 'completed' | 'every' | 'dueDate'>,
  today: string,
): Recurrence | undefined {
  if (completed || every === null) return undefined;
  const [, count = '1', unit, on] = PARTS.exec(every) ?? [];
  const first = dueDate ?? today;
  const months = Number(count) * (unit === 'year' ? 12 : 1);
  const day = Number(on ?? first.slice(8));
  let next = first;
  if (unit === 'month' || unit === 'year') {
    for (let passed = months; next <= first || next <= today; passed += months) {
      next = monthsAfter(first, passed, day);
      if (isTooLate(next)) return undefined;
    }
    const isShort = Number(next.slice(8)) < day;
    return { dueDate: next, every: isShort && on === undefined ? `${every} on ${day}` : every };
  }
  const [start, now] = [parseWallTime(first) ?? 0, parseWallTime(today) ?? 0];
  if (unit === 'weekday') next = formatDate(weekdayAfter(Math.max(start, now)));
  else {
    const step = Number(count) * (unit === 'week' ? 7 : 1) * DAY;
    next = formatDate(start + Math.max(1, Math.floor((now - start) / step) + 1) * step);
  }
  return isTooLate(next) ? undefined : { dueDate: next, every };
}

/** Dates have four digits for the year. */
function isTooLate(date: string): boolean {
  return !/^\d{4}-\d{2}-\d{2}$/.test(date);
}

function weekdayAfter(date: number): number {
  let next = date + DAY;
  while (dayOfWeek(next) === SATURDAY || dayOfWeek(next) === SUNDAY) next += DAY;
  return next;
}

/** The day of a later month, or the last one of a month that does not have it. */
function monthsAfter(date: string, months: number, day: number): string {
  const all = Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1 + months;
  const [year, month] = [Math.floor(all / 12), all % 12];
  const days = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return formatDate(Date.UTC(year, month, Math.min(day, days)) / 1000);
}
