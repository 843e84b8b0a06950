import { systemClock } from '@deskside/core/base';
import { expect, test } from 'vitest';
import type { ManicTimeOptions } from '../options.ts';
import { type Fixture, USAGE } from '../testing/fixture.ts';
import { DAY, row, served as servedAt, site } from '../testing/test-server.ts';

/** Each row of it has an id of its own. */
const FIXTURE: Fixture = {
  applications: [
    row('08:00', '09:00', 'Code', { id: 1 }),
    row('09:00', '10:00', 'Chrome', { id: 2 }),
    row('10:00', '11:00', 'Mail', { id: 3 }),
  ],
  documents: [site('09:00', '10:00', 'news.test', { id: 4 })],
  tags: [row('08:00', '09:00', 'Client', { id: 5, name: 'Client' })],
  usage: [row('07:00', '12:00', 'Active', { id: 6 }), row('12:00', '13:00', 'Away', { id: 7 })],
  hasScreenshots: true,
};

const TOOLS: readonly (readonly [tool: string, args: object])[] = [
  ['get_activity_narrative', { ...DAY, includeSummary: true }],
  ['get_daily_summary', { date: '2025-01-15', includeHourlyWebBreakdown: true }],
  ['get_period_summary', { ...DAY, startDate: '2025-01-01' }],
  ['get_application_usage', { ...DAY, granularity: 'hour' }],
  ['get_document_usage', DAY],
  ['get_website_usage', { ...DAY, minMinutes: 0 }],
  ['get_computer_usage', DAY],
  ['get_tags', DAY],
  ['get_activities', { ...DAY, timelineId: 3 }],
  ['get_activities', { ...DAY, timelineId: USAGE }],
  ['get_timelines', {}],
  ['search_activities', { ...DAY, text: 'code' }],
  ['sum_time', { ...DAY, startDate: '2024-02-01', groupBy: ['hour', 'title'], details: ['longest'] }],
  ['list_screenshots', DAY],
  ['render_day', { date: '2025-01-15' }],
];

const set = (values: string, id: number) => `UPDATE Ar_Activity SET ${values} WHERE ActivityId = ${id}`;
const endless = "EndLocalTime = '9999-12-31 23:59:59', EndUtcTime = '9999-12-31 22:59:59'";
const early = "EndLocalTime = '2025-01-15 08:30:00', EndUtcTime = '2025-01-15 07:30:00'";
const future = "EndLocalTime = '2025-03-31 12:00:00', EndUtcTime = '2025-03-31 11:00:00'";

/** What is stored, the active minutes of the day, and how the diagnostic names it. */
const HOSTILE: readonly (readonly [sql: string, minutes: number, reason?: string])[] = [
  [set(endless, 2), 180, '1 that end in the future'],
  [set(endless, 6), 180, '1 that end in the future'],
  [set(endless, 5), 180, '1 longer than a year'],
  [set(future, 3), 120, '1 that end in the future'],
  [set("StartLocalTime = '2025-01-15 08:00:00', EndLocalTime = '2025-01-15 07:00:00'", 2), 180],
  [
    set("StartUtcTime = '1970-01-01 00:00:00'", 2),
    180,
    '1 with a UTC start over 15 hours from the local one',
  ],
  [set("EndUtcTime = '9999-12-31 22:59:59'", 2), 180, '1 with a UTC end over 15 hours from the local one'],
  [set(early, 2), 120, '1 that end before'],
  [set("EndLocalTime = 'later'", 2), 120, '1 without a valid start and end'],
  [set("EndLocalTime = x'00ff'", 2), 120, '1 without a valid start and end'],
  [set("EndLocalTime = '2025-01-15 77:00:00'", 2), 120, '1 without a valid start and end'],
  [set("Name = x'00ff'", 2), 180, '1 with a name that is not text'],
  [set("Name = x'00ff'", 4), 180, '1 with a name that is not text'],
  [set("Name = x'00ff'", 5), 180, '1 with a name that is not text'],
  [set('ActivityId = 9223372036854775807', 2), 180, '1 with an id that is not a number'],
  ["UPDATE Ar_Group SET Name = x'00ff', Key = x'00'", 180, 'of a group whose name is not text'],
  ["UPDATE Ar_CommonGroup SET Name = x'00ff', Key = x'00', Color = x'00'", 180, 'of a group whose name'],
  ["UPDATE Ar_Timeline SET BaseSchemaName = x'00ff'", 180],
  ["UPDATE Ar_Environment SET DeviceName = x'00ff'", 180],
];

const clock = { ...systemClock, now: () => new Date('2025-02-01T12:00:00Z') };

const served = (sql: string, options: ManicTimeOptions = {}) =>
  servedAt({ ...FIXTURE, sql }, options, { clock });

test.each(HOSTILE)(
  '%s: each tool answers, no day is above 24 hours, and the reason is named',
  async (...hostile) => {
    const [sql, minutes, reason = ''] = hostile as [string, number, string?];
    await using server = served(sql);
    await using beside = served('');
    for (const [tool, args] of TOOLS) {
      const [answer] = await Promise.all([server.answer(tool, { ...args }), beside.answer('get_timelines')]);
      for (const active of activeMinutesIn(answer)) expect(active).toBeLessThanOrEqual(24 * 60);
    }
    const narrative = await server.answer('get_activity_narrative', DAY);
    expect(narrative['totalActiveMinutes']).toBe(minutes);
    expect(JSON.stringify(narrative['diagnostics'])).toContain(reason);
    expect(await beside.answer('get_activity_narrative', DAY)).toMatchObject({ totalActiveMinutes: 180 });
    // Until when there is data.
    expect(JSON.stringify(await server.resource('manictime://data-range'))).not.toMatch(/9999|2025-0[23]/);
  },
);

test.each([
  ['get_activities', { timelineId: 3 }, 2],
  ['get_computer_usage', {}, 7],
  ['get_tags', {}, 5],
])('%s %j names a damaged row of its timeline, with rules, too', async (tool, args, id) => {
  for (const options of [{}, { exclude: ['app:none'] }]) {
    await using server = served(set("EndLocalTime = 'later'", id), options);
    const { diagnostics } = await server.answer(tool, { ...DAY, ...args });
    expect(diagnostics).toMatchObject({ degraded: true, reasonCode: 'DamagedRows' });
    expect(JSON.stringify(diagnostics)).toContain('1 without a valid start and end');
  }
});

function activeMinutesIn(answer: unknown): readonly number[] {
  const text = JSON.stringify(answer);
  return Array.from(text.matchAll(/"totalActiveMinutes":([\d.]+)/g), ([, minutes]) => Number(minutes));
}

test('a damaged row is named on the day it starts on, whatever was asked before', async () => {
  const night = row('23:00', '2025-01-16 01:00:00', 'Code', { id: 1 });
  await using server = servedAt({ applications: [night], sql: set("Name = x'00ff'", 1) }, {}, { clock });
  const hintOf = async (startDate: string, endDate: string) => {
    const { diagnostics } = await server.answer('get_activity_narrative', { startDate, endDate });
    return JSON.stringify(diagnostics);
  };
  expect(await hintOf('2025-01-16', '2025-01-17')).not.toContain('not text');
  expect(await hintOf('2025-01-15', '2025-01-17')).toContain(' 1 with a name that is not text');
});

test("ManicTime's own totals that cannot be are left out and named", async () => {
  const values = `('2025-01-10 10:00:00', 1, 999999), ('2025-01-10 11:00:00', 1, 'abc'), ('2025-01-10 12:00:00', 1, 60)`;
  await using server = served(
    `INSERT INTO Ar_ApplicationByDay (Hour, CommonId, TotalSeconds) VALUES ${values}`,
  );
  const range = { ...DAY, startDate: '2025-01-01' };
  const { diagnostics, days } = await server.answer('get_period_summary', range);
  expect(JSON.stringify(diagnostics)).toContain("2 in ManicTime's own totals");
  expect(days).toMatchObject([{ date: '2025-01-10', totalActiveMinutes: 1 }, { totalActiveMinutes: 180 }]);
});
