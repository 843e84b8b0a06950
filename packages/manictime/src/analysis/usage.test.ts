import { DAY as DAY_SECONDS, parseWallTime } from '@deskside/core/dates';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Activity } from '../database/model/activity.ts';
import { APPLICATIONS, type Fixture } from '../testing/fixture.ts';
import { DAY, named, row, served, site } from '../testing/test-server.ts';
import { activeTime } from './active-time.ts';

const DAYS = { startDate: '2025-01-13', endDate: '2025-01-18' };

test('get_application_usage keeps two applications with one name apart, in stored and computed totals, in a stable order', async () => {
  const applications = [
    row('10:00', '10:30', 'B'),
    row('11:00', '11:30', 'A'),
    row('12:00', '12:30', 'Editor'),
  ];
  const renamed = ['Ar_Group', 'Ar_CommonGroup'].map(
    (table) => `
      UPDATE ${table} SET Color = '0000ff' WHERE Name = 'B';
      UPDATE ${table} SET Color = 'ff0000' WHERE Name = 'A';
      UPDATE ${table} SET Key = Name || '.exe', Name = 'Setup' WHERE Name IN ('A', 'B');`,
  );
  const sums = `INSERT INTO Ar_ApplicationByDay
    VALUES ('2025-01-15 10:00:00', 1, 1800), ('2025-01-15 11:00:00', 2, 1800), ('2025-01-15 12:00:00', 3, 1800);`;
  const editor = { name: 'Editor', color: '#336699', totalMinutes: 30 };
  const setups = [
    { name: 'Setup', color: '#0000FF', key: 'B.exe', totalMinutes: 30 },
    { name: 'Setup', color: '#FF0000', key: 'A.exe', totalMinutes: 30 },
  ];
  for (const more of [[sums], [sums, 'DELETE FROM Ar_Activity']]) {
    await using server = served({ applications, sql: [...renamed, ...more].join(';') });
    expect(await server.answer('get_application_usage', DAYS)).toMatchObject({
      usage: [{ ...editor, key: 'editor.exe;editor' }, ...setups],
    });
    expect(await server.answer('get_period_summary', DAYS)).toMatchObject({
      aggregate: { topApps: [editor, ...setups] },
    });
  }
});

const onTwoDays = (group: string) =>
  ['2025-01-15', '2025-01-16'].map((date) => row(`${date} 09:00:00`, `${date} 10:00:00`, group));

test('get_application_usage says color and key of an application once; rows of get_computer_usage have none, their totals do', async () => {
  await using server = served({ applications: onTwoDays('Code'), usage: onTwoDays('Active') });
  const range = { startDate: '2025-01-15', endDate: '2025-01-17' };
  expect((await server.answer('get_application_usage', range))['usage']).toStrictEqual([
    { day: '2025-01-15', name: 'Code', color: '#336699', key: 'code.exe;code', totalMinutes: 60 },
    { day: '2025-01-16', name: 'Code', totalMinutes: 60 },
  ]);
  const { totals, activities } = await server.answer('get_computer_usage', range);
  expect(totals).toMatchObject([{ name: 'Active', color: '#336699' }]);
  expect(JSON.stringify(activities)).not.toMatch(/group(Color|Key|Name)/);
});

test('get_website_usage has the total of all websites, and the reason if all of them are short; get_tags says that nothing is tagged', async () => {
  await using server = served({
    applications: [row('09:00', '10:00', 'Browser')],
    documents: [site('09:00', '09:20', 'long.example'), site('09:20', '09:20:12', 'short.example')],
  });
  expect(await server.answer('get_website_usage', { ...DAYS, limit: 1, minMinutes: 0 })).toMatchObject({
    totalMinutes: 20.2,
    websites: [{ name: 'long.example', totalMinutes: 20 }],
  });
  expect(await server.answer('get_website_usage', { ...DAYS, minMinutes: 30 })).toMatchObject({
    totalMinutes: 20.2,
    websites: [],
    diagnostics: { degraded: false, reasonCode: 'NoMatch' },
  });
  expect(await server.answer('get_tags', DAYS)).toMatchObject({
    totals: [],
    diagnostics: { degraded: false, reasonCode: 'NotTagged' },
  });
});

test('a tag has on each day at least the active time in it, also if its row is of another day on the clock of another computer', async () => {
  const far = { offset: 9, endOffset: 9 };
  await using server = served({
    timelines: [
      { report: 30, schema: 'ManicTime/Applications', environment: 2 },
      { report: 31, schema: 'ManicTime/Tags', environment: 2 },
    ],
    applications: [
      row('09:00', '10:00', 'Code'),
      row('22:00', '23:00', 'Code'),
      row('2025-01-16 09:00:00', '2025-01-16 09:30:00', 'Mail', { ...far, report: 30 }),
    ],
    // 22:00 to 23:00 on the first computer.
    tags: [named('2025-01-16 06:00:00', '2025-01-16 07:00:00', 'Trip', { ...far, report: 31 })],
  });
  expect(await server.answer('get_tags', DAY)).toMatchObject({
    totals: [{ name: 'Trip', totalMinutes: 60, activeMinutes: 60 }],
    totalMinutes: 60,
  });
});

test('without stored totals a window over three midnights counts on four days', async () => {
  await using server = served({
    applications: [row('2025-01-13 22:00:00', '2025-01-16 01:00:00', 'Render')],
    without: ['Ar_ApplicationByDay'],
  });
  expect(await server.answer('get_application_usage', DAYS)).toMatchObject({
    usage: [
      { day: '2025-01-13', totalMinutes: 120 },
      { day: '2025-01-14', totalMinutes: 1440 },
      { day: '2025-01-15', totalMinutes: 1440 },
      { day: '2025-01-16', totalMinutes: 60 },
    ],
    diagnostics: { degraded: true, reasonCode: 'FallbackComputation' },
  });
});

test('rows of 360 days cost no more than the day that is asked for', () => {
  const from = parseWallTime('2025-01-15') ?? 0;
  const span = { from, to: from + DAY_SECONDS };
  const [start, end] = [from - 180 * DAY_SECONDS, from + 180 * DAY_SECONDS];
  const read = vi.fn<() => number>(() => start);
  const times = Object.defineProperty({ start, end, localEnd: end, timeline: {} }, 'localStart', {
    get: read,
  });
  const long = (name: string): Activity => Object.assign(Object.create(times), { name });
  const marked = vi.spyOn(Set.prototype, 'add');
  onTestFinished(() => marked.mockRestore());
  const [applications, usage] = [[long('Code')], [long('Active')]];
  const rows = { span, applications, usage, trackedDevices: new Set<string>(), statesEnd: () => undefined };
  expect(activeTime(rows, span)).toMatchObject([{ start: span.from, end: span.to }]);
  expect(read.mock.calls.length + marked.mock.calls.length).toBeLessThan(50);
});

test('an activity during which the clock was set back past midnight counts once, on the day it started', async () => {
  // Twenty minutes on a flight to the west: from 00:10 to 17:30 of the day before.
  const moved = `UPDATE Ar_Activity SET EndLocalTime = '2025-01-15 17:30:00', EndUtcTime = '2025-01-15 23:30:00'`;
  await using server = served({
    applications: [row('2025-01-16 00:10:00', '2025-01-16 00:30:00', 'Reader')],
    sql: moved,
  });
  const day = async (startDate: string, endDate: string) =>
    (await server.answer('get_activity_narrative', { startDate, endDate }))['totalActiveMinutes'];
  expect(await day('2025-01-15', '2025-01-16')).toBe(0);
  expect(await day('2025-01-16', '2025-01-17')).toBe(20);
  expect(await day('2025-01-15', '2025-01-17')).toBe(20);
  expect(await server.answer('get_period_summary', DAYS)).toMatchObject({
    days: [{ date: '2025-01-16', totalActiveMinutes: 20 }],
  });
});

const inNovember = (day: string, to: string, group: string) =>
  row(`2026-11-${day} 10:00:00`, `2026-11-${day} ${to}:00`, group);

describe('a month with expired days', () => {
  /** The days before 5 November have stored totals only. */
  const month: Fixture = {
    applications: [inNovember('05', '11:00', 'Code'), inNovember('06', '10:30', 'Mail')],
    sql: `INSERT INTO Ar_ApplicationByDay VALUES
      ('2026-10-27 10:00:00', 1, 3600), ('2026-10-27 11:00:00', 2, 1800), ('2026-11-03 09:00:00', 1, 1200),
      ('2026-11-04 10:00:00', 2, 2400), ('2026-11-05 10:00:00', 1, 3000);`,
  };
  const hiding = () => served(month, { exclude: ['title:salary'] });
  const expired = { degraded: true, reasonCode: 'AggregatesUsed', remediationHint: expect.any(String) };
  const leftOut = { diagnostics: { degraded: true, reasonCode: 'AggregatesLeftOut' } };
  const EXPIRED_DAY = { startDate: '2026-10-27', endDate: '2026-10-28' };

  test('a search, rows, and answers with privacy rules of an expired day do not say that nothing was tracked', async () => {
    await using server = served(month);
    await using hidden = hiding();
    for (const [tool, asked, more] of [
      ['search_activities', server, { text: 'a' }],
      ['get_computer_usage', server, {}],
      ['get_tags', server, {}],
      ['get_activities', server, { timelineId: APPLICATIONS }],
      ['get_activity_narrative', hidden, {}],
      ['get_application_usage', hidden, {}],
      ['get_period_summary', hidden, {}],
    ] as const)
      expect(await asked.answer(tool, { ...EXPIRED_DAY, ...more }), tool).toMatchObject(leftOut);
  });

  test('with privacy rules, expired days beside others are named', async () => {
    await using hidden = hiding();
    const range = { startDate: '2026-11-03', endDate: '2026-11-07' };
    const remediationHint = expect.stringContaining('2026-11-03 to 2026-11-04');
    for (const tool of ['get_activity_narrative', 'get_application_usage', 'get_period_summary', 'sum_time'])
      expect(await hidden.answer(tool, range), tool).toMatchObject({
        diagnostics: { ...leftOut.diagnostics, remediationHint },
      });
  });

  test('a search beside expired days says why nothing matches, also with privacy rules', async () => {
    await using server = served(month);
    await using hidden = hiding();
    const request = { startDate: '2026-11-03', endDate: '2026-11-07', text: 'no such text' };
    const { diagnostics } = await server.answer('search_activities', request);
    expect(await hidden.answer('search_activities', request)).toMatchObject({ diagnostics });
  });

  test('get_period_summary of a partly expired month has every day and reports the expired ones', async () => {
    await using server = served(month);
    const summary = await server.answer('get_period_summary', {
      startDate: '2026-10-20',
      endDate: '2026-11-20',
    });
    expect(summary).toMatchObject({
      days: [
        { date: '2026-10-27', totalActiveMinutes: 90, topApp: 'Code' },
        { date: '2026-11-03', totalActiveMinutes: 20, topApp: 'Code' },
        { date: '2026-11-04', totalActiveMinutes: 40, topApp: 'Mail' },
        { date: '2026-11-05', totalActiveMinutes: 60, topApp: 'Code', firstActivity: '2026-11-05T10:00:00' },
        { date: '2026-11-06', totalActiveMinutes: 30, topApp: 'Mail', firstActivity: '2026-11-06T10:00:00' },
      ],
      diagnostics: expired,
    });
    expect(JSON.stringify(summary).match(/firstActivity/g)).toHaveLength(2);
    const keptDays = { startDate: '2026-11-05', endDate: '2026-11-20' };
    expect(await server.answer('get_period_summary', keptDays)).toMatchObject({
      diagnostics: { degraded: false },
    });
  });

  test('get_activity_narrative and get_daily_summary of an expired day have its total, no segments and the reason', async () => {
    await using server = served(month);
    const expected = { totalActiveMinutes: 90, segments: [], diagnostics: expired };
    expect(await server.answer('get_activity_narrative', EXPIRED_DAY)).toMatchObject({
      ...expected,
      topApplications: [],
    });
    expect(await server.answer('get_daily_summary', { date: '2026-10-27' })).toMatchObject({
      ...expected,
      topApplications: [
        { name: 'Code', totalMinutes: 60 },
        { name: 'Mail', totalMinutes: 30 },
      ],
    });
  });

  test('a range with expired and other days counts both', async () => {
    await using server = served(month);
    const range = { startDate: '2026-11-04', endDate: '2026-11-06' };
    expect(await server.answer('get_activity_narrative', range)).toMatchObject({
      totalActiveMinutes: 100,
      segments: [{ start: '2026-11-05T10:00:00' }],
      diagnostics: expired,
    });
  });

  test('an hour of an expired day uses the stored totals, and an hour after the data is empty', async () => {
    await using server = served(month);
    const hour = { startDate: '2026-10-27T10:00:00', endDate: '2026-10-27T11:00:00' };
    expect(await server.answer('get_activity_narrative', hour)).toMatchObject({
      totalActiveMinutes: 60,
      diagnostics: expired,
    });
    const later = { startDate: '2026-11-25', endDate: '2026-11-26' };
    expect(await server.answer('get_activity_narrative', later)).toMatchObject({
      totalActiveMinutes: 0,
      diagnostics: { degraded: false, reasonCode: 'RangeAfterLastData' },
    });
  });
});

test('a day with totals only is named, also if the rules hide all of the other days', async () => {
  await using server = served(
    {
      applications: [row('09:00', '10:00', 'Vault')],
      sql: "INSERT INTO Ar_ApplicationByDay VALUES ('2025-01-14 10:00:00', 51, 1800);",
    },
    { exclude: ['app:vault'] },
  );
  expect(await server.answer('get_application_usage', DAYS)).toMatchObject({
    diagnostics: {
      reasonCode: 'AggregatesLeftOut',
      remediationHint: expect.stringContaining('2025-01-14'),
    },
  });
});
