import { formatDateTime, localTime } from '@deskside/core/dates';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { writeFixture } from '../testing/fixture.ts';
import { openTestServer, row } from '../testing/test-server.ts';

async function served() {
  const folder = temporaryFolder();
  writeFixture(folder, { applications: [row('09:00', '10:00', 'Code')] });
  return openTestServer(folder);
}

test('a date-time that ends with Z is converted to the local time of this computer', async () => {
  await using server = await served();
  const startDate = '2025-06-01T12:00:00Z';
  const start = formatDateTime(localTime(Date.parse(startDate) / 1000));
  // A range that ends where it starts: the error repeats how it was read.
  expect(await server.failure('list_screenshots', { startDate, endDate: startDate })).toMatchObject({
    code: 'INVALID_RANGE',
    error: expect.stringContaining(start),
  });
});

test.each([
  ['2025-01-15', '2025-01-16', '2025-01-15', '2025-01-16'],
  ['2025-01-15T08:00', '2025-01-15 17:30:15', '2025-01-15T08:00:00', '2025-01-15T17:30:15'],
  ['2025-01-15T08:00:00.5', '2025-01-16T00:00:00', '2025-01-15T08:00:00', '2025-01-16'],
  ['2025-01-15T08:00+01:00', '2025-01-15T17:30+09', '2025-01-15T08:00:00', '2025-01-15T17:30:00'],
])('the range from %s to %s repeats its dates as %s and %s', async (startDate, endDate, start, end) => {
  await using server = await served();
  const answer = await server.answer('get_application_usage', { startDate, endDate });
  expect(answer).toMatchObject({ startDate: start, endDate: end });
});

test.each(['2025-02-29', '', '2025-01-15T25:00:00Z', '2025-01-15T10:00+24:00', '2025-01-15T10:00-01:60'])(
  'the date %j is invalid',
  async (startDate) => {
    await using server = await served();
    const failure = await server.failure('get_application_usage', { startDate, endDate: '2025-03-16' });
    expect(failure).toMatchObject({ code: 'INVALID_DATE', error: expect.stringContaining('startDate') });
  },
);

test('the hint for a long range names the end of the longest one, which is accepted', async () => {
  await using server = await served();
  const failure = await server.failure('get_period_summary', {
    startDate: '2025-01-01',
    endDate: '2025-02-02',
  });
  expect(failure).toMatchObject({
    code: 'RANGE_TOO_LARGE',
    hint: expect.stringContaining('endDate=2025-02-01,'),
  });
  await server.answer('get_period_summary', { startDate: '2025-01-01', endDate: '2025-02-01' });
});
