import { systemClock } from '@deskside/core/base';
import { expect, test } from 'vitest';
import type { ManicTimeOptions } from '../options.ts';
import { APPLICATIONS, type Fixture, USAGE } from '../testing/fixture.ts';
import { callsOf, DAY, row, served as servedAt, site } from '../testing/test-server.ts';

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

const CALLS = [
  ...callsOf(DAY.startDate, DAY.endDate),
  ['get_activities', { ...DAY, timelineId: APPLICATIONS }],
  ['get_activities', { ...DAY, timelineId: USAGE }],
  ['get_period_summary', { ...DAY, startDate: '2025-01-01' }],
  ['sum_time', { ...DAY, startDate: '2024-02-01', groupBy: ['hour', 'title'] }],
] as const;

const set = (values: string, id: number) => `UPDATE Ar_Activity SET ${values} WHERE ActivityId = ${id}`;
const without = (id: number) => `DELETE FROM Ar_Activity WHERE ActivityId = ${id}`;
const endless = "EndLocalTime = '9999-12-31 23:59:59', EndUtcTime = '9999-12-31 22:59:59'";
const early = "EndLocalTime = '2025-01-15 08:30:00', EndUtcTime = '2025-01-15 07:30:00'";
const future = "EndLocalTime = '2025-03-31 12:00:00', EndUtcTime = '2025-03-31 11:00:00'";
const later = "EndLocalTime = 'later'";
const device = (name: string) => `INSERT INTO Ar_Environment (EnvironmentId, DeviceName) VALUES (1, ${name})`;

/** What is stored, what gives the same answers, and how the diagnostic names it. */
const HOSTILE: readonly (readonly [sql: string, same: string, reason?: string])[] = [
  [set(endless, 2), '', '1 that end in the future'],
  [set(endless, 6), '', '1 that end in the future'],
  [set(endless, 5), without(5), '1 longer than a year'],
  [set(future, 3), without(3), '1 that end in the future'],
  [`${set(endless, 2)}; ${set(later, 3)}`, without(3), '1 that end in the future'],
  [
    set("StartUtcTime = '1970-01-01 00:00:00'", 2),
    set('StartUtcTime = NULL', 2),
    '1 with a UTC start over 15 hours from the local one',
  ],
  [
    set("EndUtcTime = '9999-12-31 22:59:59'", 2),
    set('EndUtcTime = NULL', 2),
    '1 with a UTC end over 15 hours from the local one',
  ],
  [set('EndUtcTime = 12345', 2), set('EndUtcTime = NULL', 2)],
  [set(early, 2), without(2), '1 that end before'],
  [set("EndUtcTime = '2025-01-15 07:00:00'", 2), without(2), '1 that end before'],
  [set(later, 2), without(2), '1 without a valid start and end'],
  [set("EndLocalTime = x'00ff'", 2), without(2), '1 without a valid start and end'],
  [set("EndLocalTime = '2025-01-15 77:00:00'", 2), without(2), '1 without a valid start and end'],
  [set('StartLocalTime = 20250115', 2), without(2)],
  [set("Name = x'00ff'", 2), set('Name = NULL', 2), '1 with a name that is not text'],
  [set("Name = x'00ff'", 4), set('Name = NULL', 4), '1 with a name that is not text'],
  [set("Name = x'00ff'", 5), set('Name = NULL', 5), '1 with a name that is not text'],
  [set("RelatedActivityId = 'none'", 4), set('RelatedActivityId = NULL', 4)],
  [set('ActivityId = 9223372036854775807', 2), '', '1 with an id that is not a number'],
  [
    "UPDATE Ar_Group SET Name = x'00ff', Key = x'00'",
    'UPDATE Ar_Group SET Name = NULL, Key = NULL',
    'of a group whose name is not text',
  ],
  [
    "UPDATE Ar_CommonGroup SET Name = x'00ff', Key = x'00', Color = x'00'",
    'UPDATE Ar_CommonGroup SET Name = NULL, Key = NULL, Color = NULL',
    'of a group whose name',
  ],
  ["UPDATE Ar_Timeline SET BaseSchemaName = x'00ff'", 'UPDATE Ar_Timeline SET BaseSchemaName = NULL'],
  [device("x'00ff'"), device('NULL')],
];

const clock = { ...systemClock, now: () => new Date('2025-02-01T12:00:00Z') };

const served = (sql: string, options: ManicTimeOptions = {}) =>
  servedAt({ ...FIXTURE, sql }, options, { clock });

/** Without ids, and without what tells that a row is damaged. */
function comparable(answer: object): unknown {
  const text = JSON.stringify(answer, (key, value: unknown) =>
    key === 'diagnostics' || key === 'activityId' ? undefined : value,
  );
  return JSON.parse(text.replace(/<p class=."soft.">Rows of this range .*?<.p>/, ''));
}

test.each(HOSTILE)(
  '%s: each tool has the answer of a database without it, and the reason is named',
  async (...hostile) => {
    const [sql, same, reason = ''] = hostile as [string, string, string?];
    await using server = served(sql);
    await using reference = served(same);
    for (const [tool, args] of CALLS) {
      const answers = [server, reference].map((each) => each.answer(tool, { ...args }));
      const [answer = {}, expected = {}] = await Promise.all(answers);
      expect(comparable(answer), tool).toEqual(comparable(expected));
    }
    const { diagnostics } = await server.answer('get_activity_narrative', DAY);
    expect(JSON.stringify(diagnostics)).toContain(reason);
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
    await using server = served(set(later, id), options);
    const { diagnostics } = await server.answer(tool, { ...DAY, ...args });
    expect(diagnostics).toMatchObject({ degraded: true, reasonCode: 'DamagedRows' });
    expect(JSON.stringify(diagnostics)).toContain('1 without a valid start and end');
  }
});

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
