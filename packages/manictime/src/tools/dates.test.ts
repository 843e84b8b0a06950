import { formatDateTime, localTime } from '@deskside/core/dates';
import { expect, test } from 'vitest';
import { row, served } from '../testing/test-server.ts';

/** A week in Tokyo, then one in Lisbon. */
const applications = [
  row('09:00', '10:00', 'Code', { offset: 9 }),
  row('2025-01-22 09:00:00', '2025-01-22 10:00:00', 'Code', { offset: 0 }),
];

test.each([
  ['2025-01-15T00:00:00Z', '2025-01-15T00:30:00Z', '2025-01-15T09:00:00', '2025-01-15T09:30:00', 30],
  // An hour before and after the row.
  ['2025-01-15T00:00:00+01:00', '2025-01-15T11:00+09', '2025-01-15T08:00:00', '2025-01-15T11:00:00', 60],
  ['2025-01-22T10:30:00+01:00', '2025-01-22T12:00', '2025-01-22T09:30:00', '2025-01-22T12:00:00', 30],
])(
  'a range from %s to %s uses the offset of the recorded rows, not of this computer',
  async (startDate, endDate, start, end, minutes) => {
    await using server = served({ applications });
    expect(await server.answer('get_activity_narrative', { startDate, endDate })).toMatchObject({
      startDate: start,
      endDate: end,
      totalActiveMinutes: minutes,
    });
  },
);

test.each([
  ['no row is near', '', '2025-06-01T12:00:00Z'],
  [
    'rows have local times only',
    'UPDATE Ar_Activity SET StartUtcTime = NULL, EndUtcTime = NULL',
    '2025-01-15T00:00:00Z',
  ],
  ['the database cannot be read', 'DROP TABLE Ar_Timeline', '2025-01-15T00:00:00Z'],
])('a date-time with an offset uses the clock of this computer if %s', async (_, sql, startDate) => {
  await using server = served({ applications, sql });
  const start = formatDateTime(localTime(Date.parse(startDate) / 1000));
  // A range that ends where it starts: the error repeats how it was read, and needs no database.
  expect(await server.failure('list_screenshots', { startDate, endDate: startDate })).toMatchObject({
    code: 'INVALID_RANGE',
    error: expect.stringContaining(start.replace('T00:00:00', '')),
  });
});

const NARRATIVE = 'get_activity_narrative';

/** A day or a start has an end after it, which answers and hints name. */
test.each([
  ['get_daily_summary', { date: '9999-12-31' }, 'INVALID_DATE'],
  ['get_daily_summary', { date: '0000-01-01' }, 'INVALID_DATE'],
  [NARRATIVE, { startDate: '9999-12-31', endDate: '9999-12-31' }, 'INVALID_DATE'],
  [NARRATIVE, { startDate: '0999-12-31', endDate: '1000-01-02' }, 'INVALID_DATE'],
  [NARRATIVE, { startDate: '9999-12-01', endDate: '9999-12-31T23:30:00-12:00' }, 'INVALID_DATE'],
  [NARRATIVE, { startDate: '2025-01-15', endDate: '9999-12-31' }, 'RANGE_TOO_LARGE'],
])('%s of %j is an error without a year of five digits', async (tool, dates, code) => {
  await using server = served({ applications });
  const failure = await server.failure(tool, dates);
  expect(failure).toMatchObject({ code });
  expect(JSON.stringify(failure)).not.toMatch(/[+-]\d{6}-/);
});

test('the last day whose end can be written is answered', async () => {
  await using server = served({ applications });
  expect(await server.answer('get_daily_summary', { date: '9999-12-30' })).toMatchObject({
    endDate: '9999-12-31',
  });
});
