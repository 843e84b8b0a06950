import { describe, expect, test } from 'vitest';
import { cutTo, union } from './intervals.ts';
import { minutesOf } from './minutes.ts';
import { dayOfWeek, formatDateTime, parseStoredTime, parseWallTime } from './wall-clock.ts';

test.each([
  [15, 0.2],
  [27, 0.4],
  [45, 0.8],
  [90, 1.5],
  [3, 0],
  [9, 0.2],
  [7200, 120],
  [0, 0],
])('%i seconds are %d minutes: one decimal, halves to even', (seconds, minutes) => {
  expect(minutesOf(seconds)).toBe(minutes);
});

describe('stored times', () => {
  test.each([
    ['2025-01-15 08:30:00', '2025-01-15T08:30:00'],
    ['2025-01-15T08:30:00', '2025-01-15T08:30:00'],
    ['2025-01-15 08:30:00.123', '2025-01-15T08:30:00'],
    ['2025-01-15T08:30:00Z', '2025-01-15T08:30:00'],
    ['2025-01-15', '2025-01-15T00:00:00'],
    ['2024-02-29 23:59:59', '2024-02-29T23:59:59'],
    ['1999-12-31 00:00:01', '1999-12-31T00:00:01'],
  ])('%s is read', (text, expected) => {
    expect(formatDateTime(parseStoredTime(text) ?? 0)).toBe(expected);
  });

  test.each(['', 'yesterday', '2025-xx-15 08:30:00', 15, null])('%s is not', (text) => {
    expect(parseStoredTime(text)).toBeUndefined();
  });

  test('agree with the platform on every day of eighty years', () => {
    for (let day = Date.UTC(1980, 0, 1); day < Date.UTC(2060, 0, 1); day += 86_400_000) {
      const text = new Date(day).toISOString().slice(0, 19);
      expect(parseStoredTime(text)).toBe(day / 1000);
      expect(dayOfWeek(day / 1000)).toBe(new Date(day).getUTCDay());
    }
  });
});

test.each(['2025-02-29', '2025-13-01', '2025-04-31', '2025-01-15 24:00:00', '2025-1-5', '25-01-15'])(
  '%s is no date',
  (text) => {
    expect(parseWallTime(text)).toBeUndefined();
  },
);

test('intervals are joined and cut in one pass', () => {
  const joined = union([
    { start: 5, end: 7 },
    { start: 1, end: 3 },
    { start: 3, end: 4 },
    { start: 9, end: 9 },
  ]);
  expect(joined).toEqual([
    { start: 1, end: 4 },
    { start: 5, end: 7 },
  ]);
  const items = [
    { start: 0, end: 10, name: 'long' },
    { start: 2, end: 3, name: 'inside' },
    { start: 6, end: 6.5, name: 'late' },
  ];
  expect(cutTo(items, joined)).toEqual([
    { start: 1, end: 4, name: 'long' },
    { start: 5, end: 7, name: 'long' },
    { start: 2, end: 3, name: 'inside' },
    { start: 6, end: 6.5, name: 'late' },
  ]);
});
