import { formatDate } from '@deskside/core/dates';
import { fixedClock } from '@deskside/testkit';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { ManicTimeOptions } from '../options.ts';
import type { Fixture } from '../testing/fixture.ts';
import { DAY, file, named, row, served as servedAt, site } from '../testing/test-server.ts';
import { weekOf } from './dates.ts';

/** The clock of the tracked computer is the one of this machine, which gives words such as `now` their meaning. */
beforeEach(() => {
  vi.stubEnv('TZ', 'Europe/Berlin');
});

const NOW = '2025-01-16T09:00:00Z';

const served = (fixture: Fixture, options: ManicTimeOptions = {}, clock = fixedClock(NOW)) =>
  servedAt(fixture, options, { clock });

const workday: Fixture = {
  applications: [
    row('09:00', '09:30', 'Code', { name: 'invoice.ts - shop', id: 1 }),
    row('09:30', '09:40', 'Chrome', { name: 'Jira board', id: 2 }),
    row('09:40', '10:30', 'Code', { name: 'invoice.ts - shop', id: 3 }),
    row('10:30', '11:00', 'Teams', { name: 'Weekly meeting', id: 4 }),
  ],
  documents: [
    site('09:30', '09:40', 'jira.example', { name: 'https://jira.example/browse/SHOP-7', relatedId: 2 }),
    file('09:40', '10:30', 'invoice.ts', { name: String.raw`C:\shop\invoice.ts`, relatedId: 3 }),
  ],
  usage: [row('08:00', '10:45', 'Active'), row('10:45', '12:00', 'Away')],
  tags: [
    named('2025-01-14 23:30:00', '09:05', 'Client A'),
    named('09:05', '10:30', 'Client B, Billable'),
    named('10:00', '10:30', 'Client B'),
  ],
};

/** The time of day, so many minutes after midnight. */
function clock(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
}

test("get_tags adds up each tag inside the range by day with ManicTime's color, and time with two tags once in the total", async () => {
  const sql = `INSERT INTO Ar_Group (ReportId, GroupId, Name, Color) VALUES (7, 1, 'Client A', 'ff8800')`;
  await using server = served({ ...workday, sql });
  expect(await server.answer('get_tags', DAY)).toMatchObject({
    totals: [
      {
        name: 'Client A',
        color: '#FF8800',
        totalMinutes: 545,
        breakdown: [{ period: '2025-01-15', minutes: 545 }],
      },
      { name: 'Billable', totalMinutes: 85 },
      { name: 'Client B', totalMinutes: 85 },
    ],
    totalMinutes: 630,
    count: 3,
  });
  const { totals } = await server.answer('get_tags', { startDate: '2025-01-01', endDate: '2025-03-01' });
  expect(totals).toMatchObject([
    { name: 'Client A', totalMinutes: 575, breakdown: [{ period: '2025-01', minutes: 575 }] },
    {},
    {},
  ]);
});

/** Tags of one hour and more, all from nine o'clock. */
const manyTags = (count: number) =>
  Array.from({ length: count }, (_, index) => named('09:00', clock(600 + index), `Client ${index}`));

test('get_tags counts the time of each combination of tags once, so that combinations add up to the total', async () => {
  await using server = served(workday);
  const answer = await server.answer('get_tags', { ...DAY, endDate: '2025-01-15T10:15' });
  expect(answer).toMatchObject({
    combinations: [
      { names: ['Client A'], totalMinutes: 545 },
      { names: ['Billable', 'Client B'], totalMinutes: 70 },
    ],
    totalMinutes: 615,
  });
  await using overlapping = served({
    tags: [named('09:00', '11:00', 'B'), named('10:00', '12:00', 'A'), named('10:30', '10:40', 'B, A, B')],
  });
  expect(await overlapping.answer('get_tags', DAY)).toMatchObject({
    totalMinutes: 180,
    combinations: [
      { names: ['A'], totalMinutes: 60 },
      { names: ['A', 'B'], totalMinutes: 60 },
      { names: ['B'], totalMinutes: 60 },
    ],
  });
  await using single = served({ tags: [named('09:00', '11:00', 'B')] });
  expect(await single.answer('get_tags', DAY)).not.toHaveProperty('combinations');
});

test('get_tags counts days whose rows ManicTime has deleted with its own totals, and names them', async () => {
  const sql = `
    CREATE TABLE Ar_CommonGroupList (CommonId INTEGER PRIMARY KEY, Name TEXT);
    CREATE TABLE Ar_TagListByDay (CommonId INTEGER, Hour DATETIME, TotalSeconds INTEGER);
    INSERT INTO Ar_CommonGroupList VALUES (1, 'Client B, Billable'), (2, 'Client A');
    INSERT INTO Ar_TagListByDay VALUES
      (1, '2025-01-13 09:00:00', 3600), (1, '2025-01-13 10:00:00', 1800), (2, '2025-01-13 10:00:00', 600),
      (1, '2025-01-15 09:00:00', 3000), (1, '2025-01-15 12:00:00', 3000);`;
  const range = { startDate: '2025-01-13', endDate: '2025-01-16' };
  await using server = served({ ...workday, sql });
  expect(await server.answer('get_tags', range)).toMatchObject({
    totals: [
      { name: 'Client A', totalMinutes: 585 },
      {
        name: 'Billable',
        totalMinutes: 175,
        breakdown: [
          { period: '2025-01-13', minutes: 90 },
          { period: '2025-01-15', minutes: 85 },
        ],
      },
      { name: 'Client B', totalMinutes: 175 },
    ],
    totalMinutes: 760,
    combinations: [{ names: ['Client A'] }, { names: ['Billable', 'Client B'], totalMinutes: 175 }],
    diagnostics: {
      degraded: true,
      reasonCode: 'AggregatesUsed',
      remediationHint: expect.stringContaining('2025-01-13'),
    },
  });
  // Half an hour of the sums of 10:00 is unknown, and so is whether a hidden tag is in them.
  const half = { startDate: '2025-01-13T09:30', endDate: '2025-01-13T10:30' };
  expect(await server.answer('get_tags', half)).toMatchObject({ totals: [] });
  await using hiding = served({ ...workday, sql }, { redact: ['app:vault'] });
  expect(await hiding.answer('get_tags', range)).toMatchObject({
    totalMinutes: 660,
    diagnostics: { reasonCode: 'AggregatesLeftOut', remediationHint: expect.stringContaining('2025-01-13') },
  });
  await using untagged = served({ ...workday, tags: [], sql }, { redact: ['app:vault'] });
  expect(await untagged.answer('get_tags', range)).toMatchObject({
    totals: [],
    diagnostics: { reasonCode: 'AggregatesLeftOut', remediationHint: expect.stringContaining('2025-01-13') },
  });
  // 13:00 of a day that has rows at other hours.
  const noon = { startDate: '2025-01-15T12:00', endDate: '2025-01-15T13:00' };
  expect(await server.answer('get_tags', noon)).toMatchObject({ totals: [] });
});

test('get_tags lists the minutes of all of 150 tags, and reports how many of 300 are left out', async () => {
  await using server = served({ tags: manyTags(150) });
  const all = (await server.answer('get_tags', { ...DAY, limit: 1 })) as { totals: { name: string }[] };
  expect(all.totals).toHaveLength(150);
  expect(all.totals.at(-1)).toMatchObject({ name: 'Client 0', totalMinutes: 60 });
  expect(all).not.toHaveProperty('omittedTotals');
  await using many = served({ tags: manyTags(300) });
  expect(await many.answer('get_tags', { ...DAY, limit: 1000 })).toMatchObject({
    truncation: { truncated: true },
    omittedTotals: 100,
    omittedCombinations: expect.any(Number),
  });
});

/** As many applications and websites, half a minute each. */
function used(count: number): Fixture {
  const rows = Array.from({ length: count }, (_, index) => {
    const minute = String(index).padStart(2, '0');
    return [`09:${minute}:00`, `09:${minute}:30`, String(index)] as const;
  });
  return {
    applications: rows.map(([from, to, name], id) => row(from, to, `Program ${name}`, { id })),
    documents: rows.map(([from, to, name], relatedId) => site(from, to, `${name}.example`, { relatedId })),
  };
}

test('summaries say how many of 51 applications and websites their top lists leave out, and nothing of 50', async () => {
  await using server = served(used(51));
  const omitted = { omittedApplications: 1, omittedWebsites: 1 };
  expect(await server.answer('get_period_summary', DAY)).toMatchObject({
    aggregate: omitted,
    truncation: { truncated: true, returnedCount: 1, totalAvailable: 1 },
  });
  const day = { date: '2025-01-15', includeHourlyWebBreakdown: true };
  const daily = await server.answer('get_daily_summary', day);
  expect(daily).toMatchObject({
    ...omitted,
    hourlyWebBreakdown: [{ hour: '2025-01-15T09:00:00', omittedWebsites: 1 }],
    truncation: { truncated: true, returnedCount: 51, totalAvailable: 51 },
  });
  expect(daily['topApplications']).toHaveLength(50);
  const brief = { ...DAY, includeSummary: true, detail: 'brief' };
  expect(await server.answer('get_activity_narrative', brief)).toMatchObject({
    omittedApplications: 41,
    omittedWebsites: 41,
  });
  const plain = await server.answer('get_activity_narrative', DAY);
  expect(plain).toMatchObject({ truncation: { truncated: false } });
  expect(plain).not.toHaveProperty('omittedApplications');

  await using fitting = served(used(50));
  for (const [tool, args] of [
    ['get_period_summary', DAY],
    ['get_daily_summary', day],
  ] as const) {
    const answer = await fitting.answer(tool, args);
    expect(answer).toMatchObject({ truncation: { truncated: false } });
    expect(JSON.stringify(answer)).not.toContain('omitted');
  }
});

test('get_computer_usage adds up each state inside the range', async () => {
  await using server = served(workday);
  const hours = { startDate: '2025-01-15T10:00', endDate: '2025-01-15T11:00' };
  expect(await server.answer('get_computer_usage', hours)).toMatchObject({
    totals: [
      { name: 'Active', totalMinutes: 45 },
      { name: 'Away', totalMinutes: 15 },
    ],
    totalMinutes: 60,
  });
});

describe('search_activities', () => {
  test.each([
    [{ text: 'INVOICE' }, 80],
    [{ text: 'shop-7' }, 10],
    [{ text: '"invoice.ts - shop"' }, 80],
    [{ text: '"shop invoice"' }, 0],
    [{ application: 'CODE.EXE' }, 80],
    [{ text: 'billable jira' }, 10],
    [{ tag: 'client billable' }, 0],
    [{ application: 'code', tag: 'client b' }, 75],
    [{ website: 'jira', application: 'code' }, 0],
  ])('search_activities with %o finds %d active minutes', async (terms, minutes) => {
    await using server = served(workday);
    expect(await server.answer('search_activities', { ...DAY, ...terms })).toMatchObject({
      totalMinutes: minutes,
      days: minutes === 0 ? [] : [{ date: '2025-01-15', totalMinutes: minutes }],
      ...(minutes === 0 ? { diagnostics: { reasonCode: 'NoMatch' } } : {}),
    });
  });

  test('search_activities pages with a cursor, and its totals are the same on every page', async () => {
    await using server = served(workday);
    const args = { ...DAY, application: 'code', limit: 1 };
    const first = await server.answer('search_activities', args);
    expect(first).toMatchObject({
      totalMinutes: 80,
      activities: [
        { start: '2025-01-15T09:00:00', durationMinutes: 5, title: 'invoice.ts - shop', tags: ['Client A'] },
      ],
      nextCursor: '1',
      truncation: { truncated: true, totalAvailable: 3 },
    });
    expect(await server.answer('search_activities', { ...args, cursor: '1' })).toMatchObject({
      totalMinutes: 80,
      activities: [{ start: '2025-01-15T09:05:00', durationMinutes: 25 }],
      nextCursor: '2',
    });
    const last = await server.answer('search_activities', { ...args, limit: 9, cursor: '2' });
    expect(last).toMatchObject({
      totalMinutes: 80,
      activities: [{ start: '2025-01-15T09:40:00', document: 'file:///C:/shop/invoice.ts' }],
    });
    expect(last).not.toHaveProperty('nextCursor');
  });

  test('search_activities joins the time of one title over short interruptions', async () => {
    const times = ['09:00 09:10', '09:11 09:20', '09:21 09:30', '09:40 09:50'];
    const applications = times.map((time) => row(time.slice(0, 5), time.slice(6), 'Code'));
    await using server = served({ applications });
    const joined = { start: '2025-01-15T09:00:00', end: '2025-01-15T09:30:00', durationMinutes: 28 };
    expect(await server.answer('search_activities', { ...DAY, text: 'code' })).toMatchObject({
      activities: [joined, { start: '2025-01-15T09:40:00', durationMinutes: 10 }],
    });
  });

  test('search_activities without a text, or with an invalid cursor, explains what to pass', async () => {
    await using server = served(workday);
    expect(await server.failure('search_activities', { ...DAY, text: ' ' })).toMatchObject({
      code: 'INVALID_ARGUMENT',
      hint: expect.stringContaining('text='),
    });
    const invalid = await server.failure('search_activities', { ...DAY, text: 'a', cursor: 'x' });
    expect(invalid).toMatchObject({ code: 'INVALID_ARGUMENT', hint: expect.stringContaining('nextCursor') });
  });
});

test('get_application_usage by hour with a name has one row per hour of that application', async () => {
  await using server = served(workday);
  const answer = await server.answer('get_application_usage', { ...DAY, granularity: 'hour', name: 'COD' });
  expect(answer).toMatchObject({
    usage: [
      { day: '2025-01-15', hour: '2025-01-15T09:00:00', name: 'Code', totalMinutes: 50 },
      { day: '2025-01-15', hour: '2025-01-15T10:00:00', name: 'Code', totalMinutes: 30 },
    ],
  });
  const week = { startDate: '2025-01-01', endDate: '2025-01-09', granularity: 'hour' };
  expect(await server.failure('get_application_usage', week)).toMatchObject({ code: 'RANGE_TOO_LARGE' });
});

test('get_application_usage finds a program by its executable, and names the nearest for a name that it does not know', async () => {
  await using server = served({
    applications: [row('09:00', '10:00', 'Visual Studio Code'), row('10:00', '11:00', 'Mail')],
    sql: `UPDATE Ar_CommonGroup SET Key = 'code.exe;visual studio code' WHERE Name LIKE 'Visual%'`,
  });
  expect(await server.answer('get_application_usage', { ...DAY, name: 'CODE.EXE' })).toMatchObject({
    count: 1,
  });
  expect(await server.answer('get_application_usage', { ...DAY, name: 'vscode' })).toMatchObject({
    count: 0,
    diagnostics: {
      degraded: false,
      reasonCode: 'NoMatch',
      remediationHint: expect.stringContaining('Known names of applications: Visual Studio Code, Mail'),
    },
  });
});

test.each([
  ['2025-01-15', '2025-01-13', '2025-01-17'],
  ['2025-01-08', '2025-01-06', '2025-01-13'],
])('the week of %s is from %s to %s, without days after today', (day, from, to) => {
  const range = weekOf(Date.parse(`${day}T00:00:00Z`) / 1000, fixedClock(NOW));
  expect([formatDate(range.from), formatDate(range.to)]).toEqual([from, to]);
});

test.each([
  ['2025-01-15T08:00', '2025-01-15 17:30:15', '2025-01-15T08:00:00', '2025-01-15T17:30:15'],
  ['2025-01-15T08:00:00.5', '2025-01-16T00:00:00', '2025-01-15T08:00:00', '2025-01-16'],
  ['yesterday', 'today', '2025-01-15', '2025-01-16'],
  ['-7d', 'Tomorrow', '2025-01-09', '2025-01-17'],
  ['today', 'now', '2025-01-16', '2025-01-16T10:00:00'],
  ['-1d', '+1d', '2025-01-15', '2025-01-17'],
  // 2025-01-16 is a Thursday.
  ['-1h', 'now', '2025-01-16T09:00:00', '2025-01-16T10:00:00'],
  ['-30min', 'now', '2025-01-16T09:30:00', '2025-01-16T10:00:00'],
  ['monday', 'Thursday', '2025-01-13', '2025-01-16'],
  ['friday', 'today', '2025-01-10', '2025-01-16'],
  ['this week', 'now', '2025-01-13', '2025-01-16T10:00:00'],
  ['last week', 'this week', '2025-01-06', '2025-01-13'],
  ['Last month ', 'last month', '2024-12-01', '2025-01-01'],
  ['last year', 'this year', '2024-01-01', '2025-01-01'],
  ['yesterday', 'yesterday', '2025-01-15', '2025-01-16'],
])('the dates %s and %s mean %s and %s', async (startDate, endDate, from, to) => {
  await using server = served(workday);
  expect(await server.answer('get_activity_narrative', { startDate, endDate })).toMatchObject({
    startDate: from,
    endDate: to,
  });
});

test('get_daily_summary accepts yesterday, and another word is an invalid date', async () => {
  await using server = served(workday);
  const { totalActiveMinutes } = await server.answer('get_daily_summary', { date: 'yesterday' });
  expect(totalActiveMinutes).toBe(105);
  const odd = ['', '2025-02-29', '2025-01-15T25:00:00Z', '2025-01-15T10:00+24:00', '2025-01-15T10:00-01:60'];
  for (const date of ['next century', '__proto__', 'constructor', ...odd])
    expect(await server.failure('get_daily_summary', { date }), date).toMatchObject({
      code: 'INVALID_DATE',
      hint: expect.stringContaining('-1h'),
    });
});

test('the narrative of the last hour says how old the last row is, also if the clock goes on during the call; that of a day that is over does not', async () => {
  const applications = [
    row('2025-01-16 09:00:00', '2025-01-16 09:30:00', 'Code'),
    row('2025-01-16 09:30:00', '2025-01-16 09:48:00', 'Mail'),
  ];
  let ms = Date.parse(NOW);
  const moving = { ...fixedClock(NOW), now: () => new Date((ms += 1000)) };
  await using server = served({ applications }, {}, moving);
  const answer = await server.answer('get_activity_narrative', { startDate: '-1h', endDate: 'now' });
  expect(answer).toMatchObject({
    totalActiveMinutes: 48,
    segments: [{ application: 'Code' }, { application: 'Mail', end: '2025-01-16T09:48:00' }],
    recordedUntil: '2025-01-16T09:48:00',
    recordedMinutesAgo: 12,
  });
  await using past = served(workday);
  expect(await past.answer('get_activity_narrative', DAY)).not.toHaveProperty('recordedUntil');
});

test('an answer stays under 60 kB by default, and a limit asks for more', async () => {
  const name = 'long title '.repeat(30);
  const applications = Array.from({ length: 300 }, (_, index) =>
    row(clock(index * 4), clock(index * 4 + 4), `App ${index % 2}`, { name }),
  );
  await using server = served({ applications });
  const call = async (more: object) => {
    const answer = await server.answer('get_activity_narrative', { ...DAY, ...more });
    return { bytes: JSON.stringify(answer).length, ...(answer['truncation'] as { returnedCount: number }) };
  };
  const usual = await call({});
  expect(usual.bytes).toBeLessThan(60_000);
  expect(usual.returnedCount).toBeGreaterThan(30);
  expect(await call({ maxSegments: 300 })).toMatchObject({ returnedCount: 300 });
});

test('get_computer_usage does not say that nothing was tracked while the first state of a day lasts', async () => {
  await using server = served({
    applications: [row('2025-01-16 09:00:00', '2025-01-16 09:48:00', 'Code')],
    usage: [row('08:00', '17:00', 'Active')],
  });
  const answer = await server.answer('get_computer_usage', { startDate: '-1h', endDate: 'now' });
  expect(answer['totals']).toMatchObject([{ name: 'Active', activeMinutes: 48 }]);
  expect(answer['diagnostics']).toEqual({ degraded: false });
});
