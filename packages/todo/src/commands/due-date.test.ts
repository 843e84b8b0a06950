import { expect, test } from 'vitest';
import { personDate } from './due-date.ts';

test.each([
  ['today', '2026-11-27'],
  ['Tomorrow', '2026-11-28'],
  ['sat', '2026-11-28'],
  ['monday', '2026-11-30'],
  ['thurs', '2026-12-03'],
  ['fri', '2026-12-04'],
  ['+3d', '2026-11-30'],
  [' +2w ', '2026-12-11'],
  ['+0d', '2026-11-27'],
  ['2027-01-01', '2027-01-01'],
  ['', ''],
])('on Friday 2026-11-27 the date %j means %j', (text, date) => {
  expect(personDate(text, '2026-11-27', '--due')).toBe(date);
});

test.each(['soon', 't', 'tu', 'fridays', '+d', '+3m', '-1d', '27.11.2026'])(
  '%j is not a date for people',
  (text) => {
    expect(() => personDate(text, '2026-11-27', '--due')).toThrow(
      '--due must be a date such as 2026-11-30, today',
    );
  },
);
