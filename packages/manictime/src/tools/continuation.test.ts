import { formatDate } from '@deskside/core/dates';
import { expect, test } from 'vitest';
import { DAY, row, served } from '../testing/test-server.ts';

const TWO_DAYS = { startDate: '2025-01-15', endDate: '2025-01-17' };

/** Three applications on the first day, one on the second. */
const twoDays = [
  row('09:00', '10:00', 'Editor'),
  row('10:00', '10:30', 'Chat'),
  row('10:30', '10:40', 'Mail'),
  row('2025-01-16 09:00:00', '2025-01-16 10:00:00', 'Editor'),
];

/** Without the color and the key, which the first row of a name has. */
function minutesIn(answer: Record<string, unknown>): unknown[] {
  const usage = answer['usage'] as { day: string; name: string; totalMinutes: number }[];
  return usage.map(({ day, name, totalMinutes }) => [day, name, totalMinutes]);
}

const LATER = row('2025-01-16 10:00:00', '2025-01-16 11:00:00', 'Chat');

test.each([
  ['ends with a whole day, so that the next one adds up with it', [...twoDays, LATER], 4, 3, '2025-01-16'],
  ['ends with a day of one row', [...twoDays.slice(0, 1), ...twoDays.slice(3), LATER], 2, 1, '2025-01-16'],
  ['of one day does not say to ask for the same day again', twoDays, 2, 2, undefined],
])('a shortened list of usage %s', async (_, applications, limit, count, nextStartDate) => {
  await using server = served({ applications });
  const ask = (args: object) => server.answer('get_application_usage', { ...TWO_DAYS, ...args });
  const [first, whole] = [await ask({ limit }), await ask({})];
  const truncation = { truncated: true, returnedCount: count, totalAvailable: applications.length };
  expect(first).toMatchObject({ count, truncation });
  expect(first['nextStartDate']).toBe(nextStartDate);
  if (nextStartDate === undefined) return;
  const second = await ask({ startDate: nextStartDate });
  expect([...minutesIn(first), ...minutesIn(second)]).toStrictEqual(minutesIn(whole));
});

test('a shortened list of rows does not say to ask for the same rows again', async () => {
  await using server = served({
    applications: [row('09:00', '11:00', 'Editor'), row('09:30', '10:00', 'Chat')],
  });
  const args = { ...DAY, timelineId: 3, limit: 1 };
  const { nextStartDate } = await server.answer('get_activities', args);
  expect(nextStartDate).toBe('2025-01-15T09:30:00');
  const again = await server.answer('get_activities', { ...args, startDate: nextStartDate });
  expect(again).toMatchObject({ count: 1, truncation: { totalAvailable: 2 } });
  expect(again).not.toHaveProperty('nextStartDate');
});

test('a search in a year stays under 60 kB, with its days', async () => {
  const rows = Array.from({ length: 340 }, (_, index) => {
    const day = formatDate(Date.UTC(2025, 0, 1) / 1000 + index * 86_400);
    return row(`${day} 09:00:00`, `${day} 10:00:00`, 'Editor', { name: 'long title '.repeat(40) });
  });
  await using server = served({ applications: rows });
  const answer = await server.answer('search_activities', {
    startDate: '2025-01-01',
    endDate: '2026-01-01',
    text: 'long',
  });
  expect(answer['days']).toHaveLength(340);
  expect((answer['activities'] as []).length).toBeGreaterThan(20);
  expect(JSON.stringify(answer).length).toBeLessThan(60_000);
});
