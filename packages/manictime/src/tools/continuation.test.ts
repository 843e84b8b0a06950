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

test('a shortened list of usage ends with a whole day, so that the next one adds up with it', async () => {
  await using server = served({
    applications: [...twoDays, row('2025-01-16 10:00:00', '2025-01-16 11:00:00', 'Chat')],
  });
  const first = await server.answer('get_application_usage', { ...TWO_DAYS, limit: 4 });
  expect(first).toMatchObject({
    count: 3,
    nextStartDate: '2025-01-16',
    truncation: { truncated: true, returnedCount: 3, totalAvailable: 5 },
  });
  const second = await server.answer('get_application_usage', {
    ...TWO_DAYS,
    startDate: first['nextStartDate'],
  });
  const whole = await server.answer('get_application_usage', TWO_DAYS);
  expect([...minutesIn(first), ...minutesIn(second)]).toStrictEqual(minutesIn(whole));
});

test('a shortened list of usage of one day does not say to ask for the same day again', async () => {
  await using server = served({ applications: twoDays });
  const answer = await server.answer('get_application_usage', { ...TWO_DAYS, limit: 2 });
  expect(answer).toMatchObject({ count: 2, truncation: { truncated: true, totalAvailable: 4 } });
  expect(answer).not.toHaveProperty('nextStartDate');
});

test('a shortened list of usage ends with a day of one row', async () => {
  await using server = served({
    applications: [
      ...twoDays.slice(0, 1),
      ...twoDays.slice(3),
      row('2025-01-16 10:00:00', '2025-01-16 11:00:00', 'Chat'),
    ],
  });
  const answer = await server.answer('get_application_usage', { ...TWO_DAYS, limit: 2 });
  expect(answer).toMatchObject({ count: 1, nextStartDate: '2025-01-16' });
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
