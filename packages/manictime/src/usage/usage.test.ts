import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { openCalled } from '../testing/call.ts';
import { type Fixture, writeFixture } from '../testing/fixture.ts';

const DAYS = { startDate: '2025-01-13', endDate: '2025-01-18' };

async function served(fixture: Fixture) {
  const folder = temporaryFolder();
  writeFixture(folder, fixture);
  return openCalled(folder);
}

test('two applications of one name stay two, in kept sums and in added-up ones, equals in a stable order', async () => {
  const common = `
    INSERT INTO Ar_CommonGroup (CommonId, Name, Key, Color) VALUES
      (51, 'Setup', 'b.exe;setup', '0000ff'), (52, 'Setup', 'a.exe;setup', 'ff0000'), (53, 'Editor', 'e.exe;editor', '00ff00');
    INSERT INTO Ar_Group (ReportId, GroupId, Name, Key, CommonId) VALUES
      (3, 51, 'Setup', 'b.exe;setup', 51), (3, 52, 'Setup', 'a.exe;setup', 52), (3, 53, 'Editor', 'e.exe;editor', 53);`;
  const rows = [51, 52, 53].map(
    (id, index) =>
      `INSERT INTO Ar_Activity (ReportId, ActivityId, GroupId, CommonGroupId, StartLocalTime, EndLocalTime)
         VALUES (3, ${id}, ${id}, ${id}, '2025-01-15 1${index}:00:00', '2025-01-15 1${index}:30:00');`,
  );
  const sums = [51, 52, 53].map(
    (id, index) => `INSERT INTO Ar_ApplicationByDay VALUES ('2025-01-15 1${index}:00:00', ${id}, 1800);`,
  );
  const expected = [
    { name: 'Editor', color: '#00FF00', key: 'e.exe;editor', totalMinutes: 30 },
    { name: 'Setup', color: '#0000FF', key: 'b.exe;setup', totalMinutes: 30 },
    { name: 'Setup', color: '#FF0000', key: 'a.exe;setup', totalMinutes: 30 },
  ];
  for (const sql of [[...rows, ...sums], rows]) {
    await using server = await served({ sql: [common, ...sql].join('\n') });
    expect(await server.answer('get_application_usage', DAYS)).toMatchObject({ usage: expected });
    expect(await server.answer('get_period_summary', DAYS)).toMatchObject({
      aggregate: {
        topApps: expected.map(({ name, color, totalMinutes }) => ({ name, color, totalMinutes })),
      },
    });
  }
});

test('without sums a window open over three midnights counts on four days', async () => {
  await using server = await served({
    applications: [{ from: '2025-01-13 22:00:00', to: '2025-01-16 01:00:00', group: 'Render', name: 'film' }],
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

test('hours of websites hold no other activity, whatever table of hours there is', async () => {
  await using server = await served({
    layout: 'earlier',
    applications: [{ from: '2025-01-15 09:00:00', to: '2025-01-15 10:00:00', group: 'Code', name: 'a.ts' }],
    documents: [
      {
        from: '2025-01-15 09:15:00',
        to: '2025-01-15 09:45:00',
        group: 'a.example',
        type: 'ManicTime/WebSites',
        name: 'https://a.example/',
      },
    ],
    sql: "INSERT INTO Ar_ActivityByHour SELECT '2025-01-15', 9, CommonGroupId, 3600 FROM Ar_CommonGroup;",
  });
  expect(await server.answer('get_website_usage', DAYS)).toMatchObject({
    breakdownGranularity: 'hour',
    websites: [{ name: 'a.example', timeBreakdown: [{ period: '2025-01-15T09:00:00', minutes: 30 }] }],
    truncation: { totalAvailable: 1 },
  });
});
