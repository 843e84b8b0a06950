import { expect, test } from 'vitest';
import type { Fixture } from '../testing/fixture.ts';
import { DAY, named, row, served, site } from '../testing/test-server.ts';

test('if ManicTime has no totals of the last day, top lists, usage and summaries have all days', async () => {
  const days = ['2025-01-13', '2025-01-14', '2025-01-15'];
  const hours = days.slice(0, 2).flatMap((day) => ['08', '09', '10', '11'].map((hour) => `${day} ${hour}`));
  const valuesOf = (id: number) => hours.map((hour) => `('${hour}:00:00', ${id}, 3600)`).join(', ');
  await using server = served({
    hasScreenshots: true,
    applications: days.map((day) => row(`${day} 08:00:00`, `${day} 12:00:00`, 'Code')),
    documents: days.map((day) => site(`${day} 08:00:00`, `${day} 12:00:00`, 'a.example')),
    sql: `INSERT INTO Ar_ApplicationByDay VALUES ${valuesOf(1)};
          INSERT INTO Ar_WebSiteByDay VALUES ${valuesOf(2)};`,
  });
  const range = { startDate: '2025-01-13', endDate: '2025-01-16' };
  expect(await server.answer('get_activity_narrative', { ...range, includeSummary: true })).toMatchObject({
    totalActiveMinutes: 720,
    topApplications: [{ name: 'Code', totalMinutes: 720 }],
    topWebsites: [{ name: 'a.example', totalMinutes: 720 }],
    diagnostics: { degraded: false },
  });
  expect(await server.answer('get_application_usage', range)).toMatchObject({
    usage: days.map((day) => ({ day, name: 'Code', totalMinutes: 240 })),
  });
  expect(await server.answer('get_website_usage', range)).toMatchObject({
    websites: [{ name: 'a.example', totalMinutes: 720 }],
  });
  expect(await server.answer('get_period_summary', range)).toMatchObject({
    days: days.map((date) => ({ date, totalActiveMinutes: 240, topApp: 'Code' })),
  });
});

test.each(['2025-01-16', '2025-01-15T12:00', '2025-01-15T12:30'])(
  'topApplications up to %s contain active time only',
  async (endDate) => {
    const hours = [8, 9, 10, 11].map((hour) => `('2025-01-15 ${hour}:00:00', 1, 3600)`);
    const fixture: Fixture = {
      applications: [row('08:00', '12:00', 'Chrome')],
      usage: [
        row('08:00', '09:00', 'Active'),
        row('09:00', '12:00', 'Away'),
        row('12:00', '13:00', 'Active'),
      ],
      sql: `INSERT INTO Ar_ApplicationByDay VALUES ${hours.join(', ')}`,
    };
    await using server = served(fixture);
    const range = { startDate: DAY.startDate, endDate };
    const used = [{ name: 'Chrome', totalMinutes: 60 }];
    expect(await server.answer('get_activity_narrative', { ...range, includeSummary: true })).toMatchObject({
      totalActiveMinutes: 60,
      topApplications: used,
    });
    expect(await server.answer('get_application_usage', range)).toMatchObject({ usage: used });
  },
);

test.each(['get_activity_narrative', 'get_period_summary', 'get_application_usage'])(
  '%s says so if no window was active, also between two states of which the later one is days ahead',
  async (tool) => {
    const later = row('2025-01-20 08:00:00', '2025-01-20 09:00:00', 'Active');
    await using server = served({
      applications: [row('07:00', '10:00', 'Code')],
      usage: [row('00:00', '08:00', 'Away'), later],
    });
    const diagnostics = { degraded: false, reasonCode: 'NotActive' };
    expect(await server.answer(tool, DAY)).toMatchObject({ diagnostics });
  },
);

test.each(['', 'DROP INDEX Ar_Activity_Start;'])(
  'a tag of a week is found under the many tags after it (%j)',
  async (sql) => {
    await using server = served({
      applications: [row('2025-01-18 12:00:00', '2025-01-18 13:00:00', 'Code')],
      tags: [
        named('2025-01-10 00:00:00', '2025-01-20 00:00:00', 'Sprint'),
        ...Array.from({ length: 40 }, (_, minute) => {
          const time = `2025-01-11 09:${String(minute).padStart(2, '0')}`;
          return named(`${time}:00`, `${time}:30`, 'Note');
        }),
      ],
      sql,
    });
    const range = { startDate: '2025-01-18', endDate: '2025-01-19' };
    expect(await server.answer('get_tags', range)).toMatchObject({ activities: [{ tags: ['Sprint'] }] });
  },
);
