import { expect, test } from 'vitest';
import { everyOf, recurrenceOf } from './recurrence.ts';

test.each([
  ['week', 'week'],
  [' Every  WEEK ', 'week'],
  ['1 day', 'day'],
  ['weekdays', 'weekday'],
  ['2 weeks', '2 weeks'],
  ['02 week', '2 weeks'],
  ['99 years', '99 years'],
  ['month on 31', 'month on 31'],
  ['every 3 months on 1', '3 months on 1'],
  ['year on 29', 'year on 29'],
])('%j means every %s', (text, every) => {
  expect(everyOf(text)).toBe(every);
  expect(everyOf(every)).toBe(every);
});

test.each([
  '',
  'every',
  '0 days',
  '100 days',
  '-1 day',
  '1.5 weeks',
  '2 weekdays',
  'week on 3',
  'weekday on 3',
  'month on 0',
  'month on 32',
  'monday',
  'week week',
  'fortnight',
])('%j is not how often a task comes back', (text) => {
  expect(everyOf(text)).toBeUndefined();
});

test.each([
  // Before, on and after the due date, which is a Monday.
  ['day', '2026-11-30', '2026-11-24', '2026-12-01'],
  ['day', '2026-11-30', '2026-11-30', '2026-12-01'],
  ['day', '2026-11-30', '2026-12-05', '2026-12-06'],
  ['3 days', '2026-11-30', '2026-12-03', '2026-12-06'],
  ['3 days', '2026-11-30', '2026-12-05', '2026-12-06'],
  ['week', '2026-11-30', '2026-11-30', '2026-12-07'],
  ['week', '2026-11-30', '2026-12-08', '2026-12-14'],
  ['2 weeks', '2026-11-30', '2026-12-14', '2026-12-28'],
  ['weekday', '2026-11-30', '2026-11-30', '2026-12-01'],
  ['weekday', '2026-12-04', '2026-12-04', '2026-12-07'],
  ['weekday', '2026-11-30', '2026-12-05', '2026-12-07'],
  ['weekday', '2026-11-30', '2026-12-06', '2026-12-07'],
  ['month', '2026-11-15', '2026-11-15', '2026-12-15'],
  ['month', '2026-11-15', '2026-12-15', '2027-01-15'],
  ['2 months', '2026-11-15', '2027-02-01', '2027-03-15'],
  ['year', '2026-11-30', '2026-12-01', '2027-11-30'],
  ['2 years', '2026-01-01', '2026-01-01', '2028-01-01'],
  ['week', null, '2026-11-24', '2026-12-01'],
  ['month', null, '2026-11-24', '2026-12-24'],
])('every %s, due %s, completed on %s: due %s', (every, dueDate, today, next) => {
  expect(recurrenceOf({ completed: false, every, dueDate }, today)).toStrictEqual({ dueDate: next, every });
});

test.each([
  ['month', '2027-01-31', ['2027-02-28', '2027-03-31', '2027-04-30', '2027-05-31']],
  ['month', '2028-01-30', ['2028-02-29', '2028-03-30', '2028-04-30']],
  ['month on 31', '2027-01-15', ['2027-02-28', '2027-03-31']],
  ['year', '2028-02-29', ['2029-02-28', '2030-02-28', '2031-02-28', '2032-02-29']],
])('every %s from %s: %j', (every, first, dates) => {
  let next = { dueDate: first, every };
  for (const date of dates) {
    next = recurrenceOf({ completed: false, ...next }, next.dueDate) ?? next;
    expect(next.dueDate).toBe(date);
  }
});

test('a completed task, one without a series, and one after the year 9999 do not come back', () => {
  const today = '2026-11-24';
  expect(recurrenceOf({ completed: true, every: 'day', dueDate: today }, today)).toBeUndefined();
  expect(recurrenceOf({ completed: false, every: null, dueDate: today }, today)).toBeUndefined();
  for (const every of ['day', 'week', 'weekday', 'month', 'year'])
    expect(recurrenceOf({ completed: false, every, dueDate: '9999-12-31' }, today)).toBeUndefined();
});
