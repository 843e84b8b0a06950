import { describe, expect, test } from 'vitest';
import { type Fixture, type FixtureRow, TAGS, USAGE } from '../testing/fixture.ts';
import { DAY, row, served as servedAlone, site } from '../testing/test-server.ts';

const STATE = { name: 'Active' };
const fixture: Fixture = {
  hasScreenshots: true,
  applications: [row('09:00', '10:00', 'Code', { id: 1 })],
  documents: [site('09:00', '10:00', 'a.example', { relatedId: 1 })],
  // Without the later state, nothing would be known of the time after 09:45.
  usage: [row('09:00', '09:45', 'Active', STATE), row('10:30', '10:31', 'Active', STATE)],
};
const sums = {
  current: `INSERT INTO Ar_ApplicationByDay (Hour, CommonId, TotalSeconds) VALUES ('2025-01-15 09:00:00', 1, 2700);
            INSERT INTO Ar_WebSiteByDay (Hour, CommonId, TotalSeconds) VALUES ('2025-01-15 09:00:00', 2, 2700);`,
  earlier: `INSERT INTO Ar_ApplicationByDay (Day, CommonGroupId, TotalSeconds) VALUES ('2025-01-15', 1, 2700);
            INSERT INTO Ar_WebSiteByDay (Day, CommonGroupId, TotalSeconds) VALUES ('2025-01-15', 2, 2700);`,
};

const served = (more: Fixture) => servedAlone({ ...fixture, ...more });

describe.each(['current', 'earlier'] as const)('a database with the %s layout', (layout) => {
  test(`a complete database with the ${layout} layout is healthy, and no answer is degraded`, async () => {
    await using server = served({ layout, sql: sums[layout] });
    expect(await server.resource('manictime://health')).toMatchObject({
      schemaStatus: 'Valid',
      status: 'Healthy',
      issues: [],
    });
    expect(await server.answer('get_activity_narrative', { ...DAY, includeSummary: true })).toMatchObject({
      totalActiveMinutes: 45,
      topApplications: [{ name: 'Code', color: '#336699', totalMinutes: 45 }],
      topWebsites: [{ name: 'a.example', totalMinutes: 45 }],
      diagnostics: { degraded: false },
    });
    expect(await server.answer('get_application_usage', DAY)).toMatchObject({
      usage: [{ day: '2025-01-15', name: 'Code', color: '#336699', key: 'code.exe;code', totalMinutes: 45 }],
    });
    expect(await server.answer('get_website_usage', DAY)).toEqual({
      breakdownGranularity: 'hour',
      totalMinutes: 45,
      websites: [
        {
          name: 'a.example',
          totalMinutes: 45,
          timeBreakdown: [{ period: '2025-01-15T09:00:00', minutes: 45 }],
        },
      ],
      truncation: { truncated: false, returnedCount: 1, totalAvailable: 1 },
      diagnostics: { degraded: false },
    });
    expect(
      await server.answer('get_website_usage', { startDate: '2025-01-10', endDate: '2025-01-20' }),
    ).toMatchObject({
      breakdownGranularity: 'day',
      websites: [{ timeBreakdown: [{ period: '2025-01-15', minutes: 45 }] }],
    });
  });

  const supplemental = [
    ['Ar_ApplicationByDay', 'PreAggregatedAppUsage', 'FallbackComputation'],
    ['Ar_WebSiteByDay', 'PreAggregatedWebUsage', 'FallbackComputation'],
    ['Ar_CommonGroup', 'CommonGroup', 'FallbackComputation'],
    ['Ar_TimelineSummary', 'TimelineSummary', undefined],
    ['Ar_Environment', 'Environment', undefined],
    ['Ar_Group', undefined, undefined],
    ['Ar_Folder', undefined, undefined],
  ] as const;
  test.each(supplemental)(
    'if the table %s is missing, every tool still answers with the same times',
    async (table, capability, reasonCode) => {
      await using server = served({
        layout,
        without: [table],
        sql: sums[layout].replace(`INSERT INTO ${table}`, '-- '),
      });
      const narrative = await server.answer('get_activity_narrative', { ...DAY, includeSummary: true });
      expect(narrative).toMatchObject({ totalActiveMinutes: 45, segments: [{ durationMinutes: 45 }] });
      expect(narrative).toHaveProperty('topApplications.0.totalMinutes', 45);
      if (reasonCode !== undefined)
        expect(narrative).toMatchObject({ diagnostics: { degraded: true, reasonCode } });
      expect(await server.answer('get_period_summary', DAY)).toMatchObject({
        days: [{ totalActiveMinutes: 45 }],
      });
      for (const of of ['application_usage', 'document_usage', 'website_usage', 'computer_usage', 'tags'])
        await server.answer(`get_${of}`, DAY);
      for (const name of ['config', 'timelines', 'environment', 'data-range']) {
        expect(await server.resource(`manictime://${name}`)).not.toHaveProperty('code');
      }
      const { capabilities } = (await server.resource('manictime://health')) as {
        capabilities: { name: string; available: boolean }[];
      };
      if (capability !== undefined) {
        expect(capabilities).toContainEqual(expect.objectContaining({ name: capability, available: false }));
      }
    },
  );
});

test.each([
  ['Ar_CommonGroup', 'get_activity_narrative', 'NoCommonGroup'],
  ['Ar_TimelineSummary', 'manictime://data-range', 'FallbackComputation'],
  ['Ar_Environment', 'manictime://environment', 'NoEnvironment'],
])('if the table %s is missing, health and %s report it', async (table, asked, reasonCode) => {
  await using server = served({ without: [table] });
  const answer = asked.includes(':') ? await server.resource(asked) : await server.answer(asked, DAY);
  expect(answer).toMatchObject({
    diagnostics: { degraded: true, reasonCode, remediationHint: expect.stringMatching(/\.$/) },
  });
  expect(await server.resource('manictime://health')).toMatchObject({
    issues: expect.arrayContaining([expect.objectContaining({ code: 'SupplementalTableMissing' })]),
  });
});

test('if the database has no tags, health and the answers with tags report it', async () => {
  await using server = served({ sql: `DELETE FROM Ar_Timeline WHERE ReportId = ${TAGS}` });
  for (const tool of ['get_activity_narrative', 'get_tags']) {
    expect(await server.answer(tool, DAY)).toMatchObject({ diagnostics: { reasonCode: 'NoTagsTimeline' } });
  }
  expect(await server.resource('manictime://health')).toMatchObject({
    issues: expect.arrayContaining([expect.objectContaining({ message: expect.stringContaining('Tags') })]),
  });
});

test('if the ComputerUsage timeline is missing, time is not clipped, and health and the answer report it', async () => {
  await using server = served({ sql: `DELETE FROM Ar_Timeline WHERE ReportId = ${USAGE}` });
  expect(await server.answer('get_activity_narrative', DAY)).toMatchObject({
    totalActiveMinutes: 60,
    diagnostics: { degraded: true, reasonCode: 'NoComputerUsageTimeline' },
  });
  expect(await server.answer('get_computer_usage', DAY)).toMatchObject({
    count: 0,
    diagnostics: { reasonCode: 'NoComputerUsageTimeline' },
  });
  for (const tool of ['get_application_usage', 'get_website_usage', 'get_document_usage'])
    expect(await server.answer(tool, DAY)).toMatchObject({
      diagnostics: { degraded: true, reasonCode: 'NoComputerUsageTimeline' },
    });
  expect(await server.resource('manictime://health')).toMatchObject({
    status: 'Degraded',
    issues: expect.arrayContaining([
      expect.objectContaining({ message: expect.stringContaining('ComputerUsage') }),
    ]),
  });
});

const noKeys = 'UPDATE Ar_Group SET Key = NULL; UPDATE Ar_CommonGroup SET Key = NULL';

test.each([
  ['renamed, with keys', "UPDATE Ar_Group SET Name = 'Aktiv' WHERE Name = 'Active'", 45, false],
  ['renamed, without keys', `UPDATE Ar_Group SET Name = 'Aktiv' WHERE Name = 'Active'; ${noKeys}`, 60, true],
  [
    'without names and keys, by the row',
    `UPDATE Ar_Group SET Name = NULL WHERE Name = 'Active'; ${noKeys}`,
    45,
    false,
  ],
  [
    'another one, by its key',
    "UPDATE Ar_Group SET Name = 'Weg', Key = 'ManicTime/Away' WHERE Name = 'Active'",
    0,
    false,
  ],
  [
    'another one, by its name',
    `UPDATE Ar_Group SET Name = 'Session lock' WHERE Name = 'Active'; ${noKeys}`,
    0,
    false,
  ],
])('computer usage states: %s', async (_, sql, minutes, degraded) => {
  await using server = served({ sql });
  expect(await server.answer('get_activity_narrative', DAY)).toMatchObject({
    totalActiveMinutes: minutes,
    diagnostics: degraded ? { degraded, reasonCode: 'UnknownUsageStates' } : { degraded },
  });
  const { issues } = (await server.resource('manictime://health')) as { issues: { code: string }[] };
  expect(issues.some(({ code }) => code === 'UnknownUsageStates')).toBe(degraded);
});

test('stored times with T, fractions and Z are parsed', async () => {
  await using server = served({
    sql: `UPDATE Ar_Activity SET StartLocalTime = replace(StartLocalTime, ' ', 'T') || '.250',
                                 EndLocalTime = replace(EndLocalTime, ' ', 'T') || '.250',
                                 StartUtcTime = replace(StartUtcTime, ' ', 'T') || 'Z'`,
  });
  expect(await server.answer('get_activity_narrative', DAY)).toMatchObject({ totalActiveMinutes: 45 });
  const hours = { startDate: '2025-01-15T09:30:00', endDate: '2025-01-15T10:00:00' };
  expect(await server.answer('get_activity_narrative', hours)).toMatchObject({ totalActiveMinutes: 15 });
  expect(await server.answer('get_activities', { timelineId: 3, ...hours })).toMatchObject({ count: 1 });
  const later = { startDate: '2025-01-15T10:00:01', endDate: '2025-01-15T12:00:00' };
  expect(await server.answer('get_activities', { timelineId: 3, ...later })).toMatchObject({ count: 0 });
});

test('if the database has no UTC times, local times are used', async () => {
  await using server = served({ sql: 'UPDATE Ar_Activity SET StartUtcTime = NULL, EndUtcTime = NULL' });
  expect(await server.answer('get_activity_narrative', DAY)).toMatchObject({ totalActiveMinutes: 45 });
});

/** An hour on the day on which the clock changes in Berlin. */
function hour(from: number, offset: number): FixtureRow {
  const [start, end] = [from, from + 1].map((each) => `2025-03-30 0${each}:00:00`);
  return { from: start ?? '', to: end ?? '', name: `from ${from}`, group: 'Code', offset };
}

test('a row without UTC times has the offset of the row before it, also on the day of a change', async () => {
  await using server = servedAlone({
    applications: [hour(0, 1), hour(3, 2), hour(4, 2), hour(5, 2)],
    sql: "UPDATE Ar_Activity SET StartUtcTime = NULL, EndUtcTime = NULL WHERE Name = 'from 4'",
  });
  const range = { startDate: '2025-03-30', endDate: '2025-03-31' };
  expect(await server.answer('get_activity_narrative', range)).toMatchObject({ totalActiveMinutes: 240 });
});

test('get_period_summary loses nothing of a month with 60 applications in each of ten hours per day', async () => {
  await using server = served({
    sql: `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 18599)
          INSERT INTO Ar_ApplicationByDay (Hour, CommonId, TotalSeconds)
          SELECT printf('2025-03-%02d %02d:00:00', 1 + i / 600, 8 + i % 600 / 60), 1000 + i % 60, 60 FROM n;
          WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59)
          INSERT INTO Ar_CommonGroup (CommonId, Name) SELECT 1000 + i, 'App ' || i FROM n;`,
  });
  const month = { startDate: '2025-03-01', endDate: '2025-04-01' };
  const summary = (await server.answer('get_period_summary', month)) as {
    days: { totalActiveMinutes: number }[];
    aggregate: { topApps: { totalMinutes: number }[] };
  };
  expect(summary.days).toHaveLength(31);
  expect(summary.days.every(({ totalActiveMinutes }) => totalActiveMinutes === 600)).toBe(true);
  expect(summary.aggregate.topApps).toHaveLength(50);
  expect(summary.aggregate.topApps.every(({ totalMinutes }) => totalMinutes === 310)).toBe(true);
  expect(await server.answer('get_application_usage', { ...month, limit: 5000 })).toMatchObject({
    count: 1860,
    truncation: { truncated: false, totalAvailable: 1860 },
  });
});

test('a row has the name of its shared group, also if only the row or only its group names that', async () => {
  await using server = servedAlone({
    applications: [
      row('09:00', '10:00', 'code.exe', { name: 'a' }),
      row('10:00', '10:30', 'chrome.exe', { name: 'b' }),
      row('10:30', '10:45', 'Word', { name: 'c' }),
    ],
    sql: `UPDATE Ar_CommonGroup SET Name = 'Code' WHERE Name = 'code.exe';
          UPDATE Ar_CommonGroup SET Name = 'Chrome' WHERE Name = 'chrome.exe';
          UPDATE Ar_Activity SET GroupId = NULL WHERE Name = 'a';
          UPDATE Ar_Activity SET CommonGroupId = NULL WHERE Name = 'b';
          UPDATE Ar_Activity SET GroupId = 999, CommonGroupId = NULL WHERE Name = 'c';`,
  });
  const { usage } = await server.answer('get_application_usage', DAY);
  expect(usage).toMatchObject([
    { name: 'Code', totalMinutes: 60 },
    { name: 'Chrome', totalMinutes: 30 },
    { name: 'c', totalMinutes: 15 },
  ]);
});

test('a database of another version of ManicTime is reported by health, but not degraded', async () => {
  const sql = "INSERT INTO Ar_Environment (EnvironmentId, ManicTimeVersion) VALUES (1, '2027.1.0.0')";
  await using server = served({ sql });
  expect(await server.resource('manictime://health')).toMatchObject({
    status: 'Healthy',
    manicTimeVersion: '2027.1.0.0',
    issues: [{ code: 'ManicTimeVersionUntested', severity: 'Note' }],
  });
});
