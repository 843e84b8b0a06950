import { expect, test } from 'vitest';
import { APPLICATIONS } from '../testing/fixture.ts';
import { DAY, row, served } from '../testing/test-server.ts';

const onDay = (day: string, to: string, group: string) => row(`${day} 09:00:00`, `${day} ${to}:00`, group);

test('get_period_summary has the average, the busiest and the quietest day, and the weekdays, 0 for Sunday', async () => {
  await using server = served({
    applications: [
      onDay('2025-01-12', '09:30', 'Chrome'),
      onDay('2025-01-13', '12:00', 'Code'),
      onDay('2025-01-15', '10:00', 'Code'),
      onDay('2025-01-20', '10:30', 'Code'),
    ],
  });
  const range = { startDate: '2025-01-12', endDate: '2025-01-21' };
  expect(await server.answer('get_period_summary', range)).toMatchObject({
    days: [
      { date: '2025-01-12', totalActiveMinutes: 30, topApp: 'Chrome' },
      { date: '2025-01-13', totalActiveMinutes: 180, topApp: 'Code' },
      { date: '2025-01-15', totalActiveMinutes: 60, firstActivity: '2025-01-15T09:00:00' },
      { date: '2025-01-20', totalActiveMinutes: 90, lastActivity: '2025-01-20T10:30:00' },
    ],
    aggregate: {
      topApps: [
        { name: 'Code', totalMinutes: 330 },
        { name: 'Chrome', totalMinutes: 30 },
      ],
      avgDailyMinutes: 90,
      busiestDay: '2025-01-13',
      quietestDay: '2025-01-12',
    },
    patterns: {
      dayOfWeekDistribution: [
        { dayOfWeek: 0, totalMinutes: 30 },
        { dayOfWeek: 1, totalMinutes: 270 },
        { dayOfWeek: 3, totalMinutes: 60 },
      ],
    },
  });
});

test('get_activities has the names, the color and the key of groups, unless includeGroupDetails is false', async () => {
  // The longest that is shown whole.
  const title = 'x'.repeat(400);
  await using server = served({
    applications: [row('09:00', '10:00', 'chrome', { name: title })],
    sql: `UPDATE Ar_CommonGroup SET Name = 'Google Chrome' WHERE Name = 'chrome'`,
  });
  const args = { timelineId: APPLICATIONS, ...DAY };
  const rowOf = async (more: object) => {
    const { activities } = await server.answer('get_activities', { ...args, ...more });
    return (activities as readonly Record<string, unknown>[])[0] ?? {};
  };
  expect(await rowOf({})).toMatchObject({
    name: title,
    groupName: 'chrome',
    groupColor: '#336699',
    groupKey: 'chrome.exe;chrome',
    commonGroupName: 'Google Chrome',
  });
  const without = await rowOf({ includeGroupDetails: false });
  expect(without).toMatchObject({ name: title });
  for (const detail of ['groupName', 'groupColor', 'groupKey', 'commonGroupName']) {
    expect(without).not.toHaveProperty(detail);
  }
});
