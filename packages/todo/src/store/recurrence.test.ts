import { randomOf, SEED } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { everyOf, recurrenceOf } from './recurrence.ts';

const DAY_MS = 86_400_000;

test.each([
  ['week', 'week'],
  [' Every  WEEK ', 'week'],
  ['1 day', 'day'],
  ['weekdays', 'weekday'],
  ['2 weeks', '2 weeks'],
  ['02 week', '2 weeks'],
  ['month on 31', 'month on 31'],
  ['every 3 months on 1', '3 months on 1'],
  ['monday', 'mon'],
  ['Mondays and Thursdays', 'mon and thu'],
  ['every fri & wed, mon', 'mon, wed and fri'],
  ['mon tue wed thu fri', 'weekday'],
  ['tue, wed, thu, fri, sat, sun and mon', 'day'],
])('%j means every %s', (text, every) => {
  expect(everyOf(text)).toBe(every);
  expect(everyOf(every)).toBe(every);
});

test.each([
  '',
  'every',
  '0 days',
  '100 days',
  '1.5 weeks',
  '2 weekdays',
  'week on 3',
  'month on 32',
  'mo',
  'mon and week',
  'mon on 3',
  'fortnight',
])('%j is not how often a task comes back', (text) => {
  expect(everyOf(text)).toBeUndefined();
});

test.each([
  // Others are counted below.
  ['month', null, '2026-11-24', '2026-12-24', null],
  ['month', '2027-01-31', '2027-01-31', '2027-02-28', 31],
  ['month', '2028-01-30', '2028-01-30', '2028-02-29', 30],
  ['month on 31', '2027-03-01', '2027-03-01', '2027-03-31', null],
  ['year', '2028-02-29', '2028-02-29', '2029-02-28', 29],
])('every %s, due %s, completed on %s: due %s, of the day %s', (every, dueDate, today, next, day) => {
  const found = recurrenceOf({ completed: false, every, dueDate }, today);
  expect(found).toStrictEqual({ dueDate: next, seriesDay: day });
});

const dateOf = (time: number) => new Date(time).toISOString().slice(0, 10);

test('200 random series have the dates that a count day by day finds', () => {
  const below = randomOf(SEED);
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
  for (let round = 0; round < 200; round += 1) {
    const count = 1 + below(4);
    const [unit = ''] = ['day', 'week', 'month', 'year', 'weekday', 'days'].slice(below(6));
    const on = 1 + below(31);
    const isMonthly = unit === 'month' || unit === 'year';
    const chosen = days.filter(() => below(10) < 4).concat('wed');
    const interval = `${count} ${unit}s${isMonthly ? ` on ${on}` : ''}`;
    const every = everyOf(unit === 'days' ? chosen.join(' ') : unit === 'weekday' ? unit : interval) ?? '';
    const start = Date.UTC(2027, below(24), 1 + below(28));
    const today = start + (below(900) - 300) * DAY_MS;
    const isInSeries = (time: number) => {
      const [date, first] = [new Date(time), new Date(start)];
      const passed = (time - start) / DAY_MS;
      const months =
        (date.getUTCFullYear() - first.getUTCFullYear()) * 12 + date.getUTCMonth() - first.getUTCMonth();
      const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
      const isDay = date.getUTCDate() === Math.min(on, last);
      const name = days[(date.getUTCDay() + 6) % 7] ?? '';
      switch (unit) {
        case 'day':
          return passed % count === 0;
        case 'week':
          return passed % (7 * count) === 0;
        case 'month':
          return isDay && months % count === 0;
        case 'year':
          return isDay && months % (12 * count) === 0;
        case 'weekday':
          return days.indexOf(name) < 5;
        default:
          return chosen.includes(name);
      }
    };
    let expected = Math.max(start, today) + DAY_MS;
    while (!isInSeries(expected)) expected += DAY_MS;
    const next = recurrenceOf({ completed: false, every, dueDate: dateOf(start) }, dateOf(today));
    expect(next?.dueDate, `${every} from ${dateOf(start)} on ${dateOf(today)}`).toBe(dateOf(expected));
  }
});

test('a completed task, one without a series, and one after the year 9999 do not come back', () => {
  const today = '2026-11-24';
  expect(recurrenceOf({ completed: true, every: 'day', dueDate: today }, today)).toBeUndefined();
  expect(recurrenceOf({ completed: false, every: null, dueDate: today }, today)).toBeUndefined();
  for (const every of ['day', 'week', 'weekday', 'month', 'year'])
    expect(recurrenceOf({ completed: false, every, dueDate: '9999-12-31' }, today)).toBeUndefined();
});
