import { expect, test } from 'vitest';
import { UserError } from '@deskside/core/errors';
import { readDate, readRangeArguments } from './date-range.ts';
import { localTime } from '@deskside/core/dates';

test.each([
  ['2025-01-15', '2025-01-16', '2025-01-15', '2025-01-16'],
  ['2025-01-15T08:00', '2025-01-15 17:30:15', '2025-01-15T08:00:00', '2025-01-15T17:30:15'],
  ['2025-01-15T08:00:00.5', '2025-01-16T00:00:00', '2025-01-15T08:00:00', '2025-01-16'],
])('the range from %s to %s repeats its dates as %s and %s', (start, end, startDate, endDate) => {
  expect(readRangeArguments(start, end)).toMatchObject({ startDate, endDate });
});

test.each([
  '2025-07-15T10:00:00Z',
  '2025-07-15T12:00:00+02:00',
  '2025-07-15T05:30-0430',
  '2025-07-15T08:00:00-02',
])('the start %s is converted to local time', (start) => {
  expect(readRangeArguments(start, '2026-01-01').from).toBe(localTime(Date.UTC(2025, 6, 15, 10) / 1000));
});

test('a caller can convert date-times with an offset itself; others have no instant to convert', () => {
  const instants: number[] = [];
  const toLocal = (instant: number) => instants.push(instant);
  expect(readDate('2025-07-15T12:00:00+02:00', 'startDate', toLocal)).toBe(1);
  readDate('2025-07-15T12:00:00', 'startDate', toLocal);
  expect(instants).toEqual([Date.UTC(2025, 6, 15, 10) / 1000]);
});

test.each([
  ['2025-13-01', '2025-01-16', 'INVALID_DATE', 'startDate'],
  ['2025-02-29', '2025-03-16', 'INVALID_DATE', 'startDate'],
  ['2025-01-15', 'tomorrow', 'INVALID_DATE', 'endDate'],
  ['2025-01-15', '', 'INVALID_DATE', 'endDate'],
  ['2025-01-15T25:00:00Z', '2025-01-16', 'INVALID_DATE', 'startDate'],
  ['2025-01-15T10:00+24:00', '2025-01-16', 'INVALID_DATE', 'startDate'],
  ['2025-01-15T10:00-01:60', '2025-01-16', 'INVALID_DATE', 'startDate'],
  ['2025-01-16', '2025-01-16', 'INVALID_RANGE', 'endDate'],
  ['2025-01-17', '2025-01-16', 'INVALID_RANGE', 'endDate'],
  ['2025-01-01', '2025-02-02', 'RANGE_TOO_LARGE', 'maximum'],
])('the range from %s to %s fails with %s and names %s', (start, end, code, named) => {
  const failing = () => readRangeArguments(start, end, { maxDays: 31 });
  expect(failing).toThrow(UserError);
  expect(failing).toThrow(named);
  expect(failing).toThrow(expect.objectContaining({ failure: expect.objectContaining({ code }) }));
});

test('a range of exactly the maximum length is accepted', () => {
  expect(readRangeArguments('2025-01-01', '2025-02-01', { maxDays: 31 }).endDate).toBe('2025-02-01');
});

test('the hint for a long range names the end of the longest range', () => {
  const hint = expect.stringContaining('endDate=2025-02-01,');
  expect(() => readRangeArguments('2025-01-01', '2025-02-02', { maxDays: 31 })).toThrow(
    expect.objectContaining({ failure: expect.objectContaining({ hint }) }),
  );
});

test('each month has its last day, and no day after it', () => {
  const days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  for (const [index, last] of days.entries()) {
    const month = `2025-${String(index + 1).padStart(2, '0')}`;
    expect(() => readDate(`${month}-${last}`, 'startDate')).not.toThrow();
    expect(() => readDate(`${month}-${last + 1}`, 'startDate')).toThrow(UserError);
  }
});
