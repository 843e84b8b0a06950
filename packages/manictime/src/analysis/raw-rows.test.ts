import { describe, expect, test } from 'vitest';
import type { Fixture } from '../testing/fixture.ts';
import { DAY, narrative, row, served } from '../testing/test-server.ts';

function site(from: string, to: string, name: string) {
  return row(from, to, name, { type: 'ManicTime/WebSites', name: `https://${name}/` });
}

function file(from: string, to: string, name: string) {
  return row(from, to, name, { type: 'ManicTime/Files', name });
}

describe('a database whose own totals of the last day are missing', () => {
  const RANGE = { startDate: '2025-01-13', endDate: '2025-01-16' };
  const days = ['2025-01-13', '2025-01-14', '2025-01-15'];
  const fixture: Fixture = {
    hasScreenshots: true,
    applications: days.map((day) => row(`${day} 08:00:00`, `${day} 12:00:00`, 'Code')),
    documents: days.map((day) =>
      row(`${day} 08:00:00`, `${day} 12:00:00`, 'a.example', { type: 'ManicTime/WebSites' }),
    ),
    sql: days
      .slice(0, 2)
      .flatMap((day) => [8, 9, 10, 11].map((hour) => `${day} ${String(hour).padStart(2, '0')}:00:00`))
      .map(
        (hour) =>
          `INSERT INTO Ar_ApplicationByDay VALUES ('${hour}', 1, 3600); INSERT INTO Ar_WebSiteByDay VALUES ('${hour}', 2, 3600);`,
      )
      .join('\n'),
  };

  test('get_activity_narrative has the top lists of all days', async () => {
    await using server = served(fixture);
    expect(await server.answer('get_activity_narrative', { ...RANGE, includeSummary: true })).toMatchObject({
      totalActiveMinutes: 720,
      topApplications: [{ name: 'Code', totalMinutes: 720 }],
      topWebsites: [{ name: 'a.example', totalMinutes: 720 }],
      diagnostics: { degraded: false },
    });
  });

  test('get_application_usage has a row of each day, get_website_usage the minutes of each day', async () => {
    await using server = served(fixture);
    expect(await server.answer('get_application_usage', RANGE)).toMatchObject({
      usage: days.map((day) => ({ day, name: 'Code', totalMinutes: 240 })),
    });
    expect(await server.answer('get_website_usage', RANGE)).toMatchObject({
      websites: [{ name: 'a.example', totalMinutes: 720 }],
    });
  });

  test('get_period_summary has the top application of each day', async () => {
    await using server = served(fixture);
    expect(await server.answer('get_period_summary', RANGE)).toMatchObject({
      days: days.map((date) => ({ date, totalActiveMinutes: 240, topApp: 'Code' })),
    });
  });
});

describe('top lists and the total', () => {
  const fixture: Fixture = {
    applications: [row('08:00', '12:00', 'Chrome')],
    usage: [row('08:00', '09:00', 'Active'), row('09:00', '12:00', 'Away'), row('12:00', '13:00', 'Active')],
    sql: [8, 9, 10, 11]
      .map((hour) => `INSERT INTO Ar_ApplicationByDay VALUES ('2025-01-15 ${hour}:00:00', 1, 3600);`)
      .join('\n'),
  };

  test.each(['2025-01-16', '2025-01-15T12:00', '2025-01-15T12:30'])(
    'topApplications up to %s contain active time only',
    async (endDate) => {
      await using server = served(fixture);
      const range = { startDate: DAY.startDate, endDate };
      expect(await server.answer('get_activity_narrative', { ...range, includeSummary: true })).toMatchObject(
        { totalActiveMinutes: 60, topApplications: [{ name: 'Chrome', totalMinutes: 60 }] },
      );
      expect(await server.answer('get_application_usage', range)).toMatchObject({
        usage: [{ name: 'Chrome', totalMinutes: 60 }],
      });
    },
  );
});

describe('a running day', () => {
  test('time after the last known state counts: ManicTime writes a state when it ends', async () => {
    const answer = await narrative({
      hasScreenshots: true,
      applications: [row('08:00', '10:00', 'Code')],
      usage: [row('00:00', '08:00', 'Away')],
    });
    expect(answer).toMatchObject({ totalActiveMinutes: 120, diagnostics: { degraded: false } });
  });

  test('time between two known states does not count, even if the later one is days ahead', async () => {
    const answer = await narrative({
      applications: [row('08:00', '10:00', 'Code')],
      usage: [row('00:00', '08:00', 'Away'), row('2025-01-20 08:00:00', '2025-01-20 09:00:00', 'Active')],
    });
    expect(answer).toMatchObject({
      totalActiveMinutes: 0,
      diagnostics: { degraded: false, reasonCode: 'NotActive' },
    });
  });

  test.each(['get_activity_narrative', 'get_period_summary', 'get_application_usage'])(
    '%s of windows without active time says so',
    async (tool) => {
      await using server = served({
        applications: [row('08:00', '10:00', 'Code')],
        usage: [row('00:00', '12:00', 'Away')],
      });
      expect(await server.answer(tool, DAY)).toMatchObject({ diagnostics: { reasonCode: 'NotActive' } });
    },
  );
});

test.each(['', 'DROP INDEX Ar_Activity_Start;'])(
  'a tag of a week is found under the many tags after it (%j)',
  async (sql) => {
    await using server = served({
      applications: [row('2025-01-18 12:00:00', '2025-01-18 13:00:00', 'Code')],
      tags: [
        row('2025-01-10 00:00:00', '2025-01-20 00:00:00', '', { name: 'Sprint' }),
        ...Array.from({ length: 40 }, (_, minute) => {
          const time = `2025-01-11 09:${String(minute).padStart(2, '0')}`;
          return row(`${time}:00`, `${time}:30`, '', { name: 'Note' });
        }),
      ],
      sql,
    });
    const range = { startDate: '2025-01-18', endDate: '2025-01-19' };
    expect(await server.answer('get_tags', range)).toMatchObject({ activities: [{ tags: ['Sprint'] }] });
  },
);

describe('websites and documents without a link', () => {
  test('the tolerance of five seconds gives another application neither website nor document', async () => {
    const { segments } = await narrative({
      layout: 'earlier',
      applications: [
        row('08:00', '09:00', 'Code'),
        row('09:00', '10:00', 'Chrome'),
        row('10:00', '12:00', 'Slack'),
      ],
      documents: [file('08:00', '09:00', 'plan.md'), site('09:00', '10:00', 'github.com')],
    });
    expect(segments.map(({ application, website, document }) => [application, website, document])).toEqual([
      ['Code', undefined, 'plan.md'],
      ['Chrome', 'github.com', undefined],
      ['Slack', undefined, undefined],
    ]);
  });

  test('the next window of the same application has the website, not the document', async () => {
    const { segments } = await narrative(
      {
        applications: [row('08:00:00', '09:00:00', 'Reader'), row('09:00:03', '10:00', 'Reader')],
        documents: [file('08:00', '09:00', 'plan.md'), site('08:00', '09:00', 'a.example')],
      },
      { maxGapMinutes: 0 },
    );
    expect(segments.map(({ website, document }) => [website, document])).toEqual([
      ['a.example', 'plan.md'],
      ['a.example', undefined],
    ]);
  });
});
