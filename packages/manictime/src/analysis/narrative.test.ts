import { describe, expect, test } from 'vitest';
import type { FixtureRow } from '../testing/fixture.ts';
import {
  DAY,
  file,
  named,
  narrative,
  type NarrativeAnswer,
  row,
  served,
  site,
} from '../testing/test-server.ts';

const briefly = ({ segments }: NarrativeAnswer) =>
  segments.map(({ start, end, application, durationMinutes }) => [
    start.slice(11, 16),
    end.slice(11, 16),
    application,
    durationMinutes,
  ]);

const BROWSER_URLS = 5;

/** Half an hour of its own. */
const half = (index: number) => [`${10 + index}:00`, `${10 + index}:30`] as const;

describe('segments', () => {
  test('adjacent segments of one application within the gap are merged, and the gap is not counted', async () => {
    const applications = [
      row('09:00', '10:00', 'Code'),
      row('10:01', '11:00', 'Code'),
      row('11:03', '12:00', 'Code'),
    ];
    expect(briefly(await narrative({ applications }))).toEqual([
      ['09:00', '11:00', 'Code', 119],
      ['11:03', '12:00', 'Code', 57],
    ]);
    expect(briefly(await narrative({ applications }, { maxGapMinutes: 5 }))).toEqual([
      ['09:00', '12:00', 'Code', 176],
    ]);
  });

  test('a brief interruption is merged with its time and tag, a longer or distant one is not', async () => {
    const glance = [
      row('09:00', '10:00', 'Code'),
      row('10:00:00', '10:00:20', 'Mail'),
      row('10:00:20', '11:00', 'Code'),
    ];
    const tags = [named('10:00:00', '10:00:20', 'Inbox')];
    const answer = await narrative({ applications: glance, tags });
    expect(briefly(answer)).toEqual([['09:00', '11:00', 'Code', 119.7]]);
    expect(answer.segments).toMatchObject([{ otherMinutes: 0.3, tags: ['Inbox'] }]);
    expect(answer.totalActiveMinutes).toBe(120);
    // Too long, and distant on either side or on both.
    for (const [end, from, to, next] of [
      ['10:00', '10:00:00', '10:00:30', '10:00:30'],
      ['09:30', '10:00:00', '10:00:20', '10:00:20'],
      ['10:00', '10:00:00', '10:00:20', '11:00'],
      ['09:30', '10:00:00', '10:00:20', '11:00'],
    ] as const) {
      const applications = [row('09:00', end, 'Code'), row(from, to, 'Mail'), row(next, '12:00', 'Code')];
      expect(briefly(await narrative({ applications }))).toHaveLength(3);
    }
  });

  test('away, locked and off time is removed, also inside one window', async () => {
    const usage = [
      row('08:00', '09:30', 'Active'),
      row('09:30', '10:00', 'Away'),
      row('10:00', '11:00', 'Active'),
      row('11:00', '12:00', 'Session lock'),
    ];
    const answer = await narrative({ applications: [row('09:00', '12:00', 'Code')], usage });
    expect(briefly(answer)).toEqual([
      ['09:00', '09:30', 'Code', 30],
      ['10:00', '11:00', 'Code', 60],
    ]);
    expect(answer.totalActiveMinutes).toBe(90);
  });

  test('a window over midnight counts on each day with its part', async () => {
    const applications = [
      row('2025-01-14 23:30:00', '00:30', 'Code'),
      row('23:45', '2025-01-16 01:00:00', 'Mail'),
    ];
    const answer = await narrative({ applications });
    expect(briefly(answer)).toEqual([
      ['00:00', '00:30', 'Code', 30],
      ['23:45', '00:00', 'Mail', 15],
    ]);
    expect(answer.segments[1]?.end).toBe('2025-01-16T00:00:00');
  });

  test('filters and caps change the segments, never the total', async () => {
    const applications = [
      row('09:00', '10:00', 'Code'),
      row('10:00', '10:05', 'Mail'),
      row('10:05', '11:00', 'Chat'),
    ];
    const filtered = await narrative({ applications }, { minDurationMinutes: 30 });
    expect(filtered).toMatchObject({
      totalActiveMinutes: 120,
      truncation: { truncated: false, returnedCount: 2, totalAvailable: 2 },
    });
    expect(await narrative({ applications }, { maxSegments: 3 })).toMatchObject({
      truncation: { truncated: false, returnedCount: 3, totalAvailable: 3 },
    });
    expect(await narrative({ applications }, { maxSegments: 2 })).toMatchObject({
      totalActiveMinutes: 120,
      truncation: { truncated: true, returnedCount: 2, totalAvailable: 3 },
    });
  });
});

describe('websites and documents', () => {
  test('website and document are those that were open together the longest', async () => {
    const answer = await narrative({
      applications: [row('09:00', '10:00', 'Chrome', { id: 500 })],
      documents: [
        site('09:00', '09:25', 'short.example', { relatedId: 500 }),
        site('09:25', '10:00', 'long.example'),
        file('09:20', '10:00', String.raw`C:\Users\me\plan 1.docx`, { relatedId: 500 }),
      ],
    });
    expect(answer.segments).toMatchObject([
      { website: 'long.example', websiteMinutes: 35, document: 'file:///C:/Users/me/plan 1.docx' },
    ]);
  });

  test('without a linked row, website and document come from the largest overlap or from a row that ended less than 5 seconds before', async () => {
    const answer = await narrative({
      applications: [
        row('09:00', '10:00', 'Chrome'),
        row('10:30', '11:00', 'Edge'),
        row('12:00', '12:30', 'Firefox'),
        // No browser.
        row('14:00', '14:30', 'Slack'),
      ],
      documents: [
        site('09:00', '09:20', 'short.example'),
        site('09:20', '10:00', 'long.example'),
        site('10:20:00', '10:29:56', 'just-before.example'),
        site('11:50:00', '11:59:54', 'too-early.example'),
        site('13:50:00', '13:59:56', 'of-no-window.example'),
      ],
    });
    const websites = answer.segments.map(({ website }) => website);
    expect(websites).toEqual(['long.example', 'just-before.example', undefined, undefined]);
  });

  test('a browser keeps its website in consecutive windows, but not across a gap or for another browser, and nothing keeps a document', async () => {
    const { segments } = await narrative(
      {
        applications: [
          row('08:00', '09:00', 'Code'),
          row('09:00', '09:10', 'Slack'),
          row('10:00', '10:10', 'Google Chrome'),
          row('10:10:03', '10:20', 'Google Chrome'),
          row('10:20', '10:30', 'Firefox'),
          row('11:00', '11:10', 'Google Chrome'),
          row('12:00', '12:10', 'Edge'),
          row('12:10', '12:20', 'Slack'),
          row('13:00', '13:10', 'Reader'),
          row('13:10:03', '13:20', 'Reader'),
          row('13:20:06', '13:30', 'Reader'),
        ],
        documents: [
          file('08:00', '09:00', 'plan.md'),
          file('10:00', '10:10', 'notes.md'),
          site('10:00', '10:10', 'a.example'),
          site('12:00', '12:10', 'b.example'),
          site('13:00', '13:10', 'c.example'),
        ],
      },
      { maxGapMinutes: 0 },
    );
    expect(segments.map(({ website, document }) => [website, document])).toEqual([
      [undefined, 'plan.md'],
      [undefined, undefined],
      ['a.example', 'notes.md'],
      ['a.example', undefined],
      [undefined, undefined],
      [undefined, undefined],
      ['b.example', undefined],
      [undefined, undefined],
      ['c.example', undefined],
      ['c.example', undefined],
      [undefined, undefined],
    ]);
  });

  test('a page is a website or a document by its timeline, its group or its address', async () => {
    const pages: readonly (readonly [
      page: Partial<FixtureRow>,
      website?: string | undefined,
      document?: string,
    ])[] = [
      [{ group: 'x', type: 'ManicTime/WebSites' }, 'x'],
      [{ group: 'shown.example', name: 'https://x/', type: 'ManicTime/WebSites' }, 'shown.example'],
      [{ name: 'https://user:secret@a.example:8080/b' }, 'a.example'],
      [{ name: 'anything', report: BROWSER_URLS }, 'anything'],
      [{ group: 'y', name: 'https://y', type: 'ManicTime/Files' }, undefined, 'https://y'],
      [{ name: '/home/me/a.txt' }, undefined, '/home/me/a.txt'],
      [{ name: String.raw`C:\a b\c#1.txt` }, undefined, 'file:///C:/a b/c%231.txt'],
      [{ name: String.raw`C:\Проекты\план 1.docx` }, undefined, 'file:///C:/Проекты/план 1.docx'],
      [{ name: String.raw`\\server\share\a.txt` }, undefined, 'file://server/share/a.txt'],
    ];
    const { segments } = await narrative({
      timelines: [{ report: BROWSER_URLS, schema: 'ManicTime/BrowserUrls' }],
      applications: pages.map((_, index) => row(...half(index), `App ${index}`)),
      documents: pages.map(([page], index) => named(...half(index), '', page)),
    });
    expect(segments.map(({ website, document }) => [website, document])).toEqual(
      pages.map(([, website, document]) => [website, document]),
    );
  });

  test('a chat is neither website nor document, and a URL is never a document', async () => {
    const answer = await narrative({
      applications: [row('09:00', '10:00', 'Teams', { id: 1 }), row('10:00', '11:00', 'Chrome', { id: 2 })],
      documents: [
        row('09:00', '10:00', 'Anna', { type: 'ManicTime/Chat', relatedId: 1 }),
        site('10:00', '11:00', 'a.example', { relatedId: 2 }),
      ],
    });
    expect(answer.segments[0]).not.toHaveProperty('document');
    expect(answer.segments[0]).not.toHaveProperty('website');
    expect(answer.segments[1]).not.toHaveProperty('document');
  });

  test('a narrative has top lists only with includeSummary, no website without includeWebsites', async () => {
    await using server = served({
      applications: [row('09:00', '10:00', 'Chrome', { id: 1 })],
      documents: [site('09:00', '10:00', 'a.example', { relatedId: 1 })],
    });
    const ask = (args: object) => server.answer('get_activity_narrative', { ...DAY, ...args });
    const plain = await ask({});
    expect(plain['topApplications']).toStrictEqual([]);
    expect(plain).not.toHaveProperty('topWebsites');
    expect(await ask({ includeSummary: true })).toMatchObject({
      topApplications: [{ name: 'Chrome', color: '#336699', totalMinutes: 60 }],
      topWebsites: [{ name: 'a.example', totalMinutes: 60 }],
    });
    const none = await ask({ includeSummary: true, includeWebsites: false });
    expect(JSON.stringify(none)).not.toContain('a.example');
    expect(none).not.toHaveProperty('topWebsites');
  });
});

describe('tags', () => {
  const applications = [
    row('09:00', '10:00', 'Code', { id: 100 }),
    row('10:00', '11:00', 'Mail', { id: 101 }),
  ];

  test('tags of the Tags timeline belong to the segments that they overlap', async () => {
    const tags = [named('09:30', '10:30', 'Project B, Billable'), named('10:15', '10:20', 'Admin')];
    const answer = await narrative({ applications, tags });
    expect(answer.segments.map(({ tags }) => tags)).toEqual([
      ['Billable', 'Project B'],
      ['Admin', 'Billable', 'Project B'],
    ]);
  });

  test('tags of tag tables belong to their activity, not to another timeline with the same id', async () => {
    const sql = `INSERT INTO Ar_Tag VALUES (1, 'Deep work'); INSERT INTO Ar_ActivityTag VALUES (100, 1);`;
    const documents = [file('10:00', '11:00', 'a.txt', { id: 100 })];
    const answer = await narrative({ layout: 'earlier', applications, documents, sql });
    expect(answer.segments.map(({ tags }) => tags)).toEqual([['Deep work'], undefined]);
  });
});

describe('screenshots', () => {
  test('the screenshot of a segment is inside the segment, and suggestions are spread over the day', async () => {
    const hours = Array.from({ length: 9 }, (_, index) => String(index + 8).padStart(2, '0'));
    await using server = served({
      applications: hours.map((hour) => row(`${hour}:00`, `${hour}:50`, `App ${hour}`)),
      shots: ['08:10:00', '08:26:00', '09:55:00', ...hours.slice(2).map((hour) => `${hour}:25:00`)],
    });
    const { segments, suggestedScreenshots } = (await server.answer('get_activity_narrative', DAY)) as {
      segments: { screenshotRef?: string }[];
      suggestedScreenshots: { timestamp: string; hint: string; screenshotRef: string }[];
    };
    const { screenshots } = (await server.answer('list_screenshots', { ...DAY, maxCount: 100 })) as {
      screenshots: { screenshotRef: string; displayLocalTime: string }[];
    };
    const timeOf = (ref: string | undefined) =>
      screenshots.find(({ screenshotRef }) => screenshotRef === ref)?.displayLocalTime.slice(11);
    expect(timeOf(segments[0]?.screenshotRef)).toBe('08:26:00');
    expect(segments[1]?.screenshotRef).toBeUndefined();
    expect(timeOf(segments[2]?.screenshotRef)).toBe('10:25:00');
    for (const { screenshotRef, timestamp } of suggestedScreenshots)
      expect(timestamp.slice(11)).toBe(timeOf(screenshotRef));
    const times = suggestedScreenshots.map(({ timestamp }) => timestamp.slice(11, 13));
    expect(times).toHaveLength(5);
    expect(times).toEqual(times.toSorted());
    expect(Number(times.at(-1)) - Number(times[0])).toBeGreaterThanOrEqual(6);
  });
});

test('the headline counts days whose rows ManicTime has deleted, as the total does', async () => {
  const answer = await narrative(
    {
      applications: [row('09:00', '10:00', 'Code')],
      sql: `INSERT INTO Ar_ApplicationByDay (Hour, CommonId, TotalSeconds) VALUES ('2025-01-13 09:00:00', 1, 3600), ('2025-01-13 10:00:00', 1, 3600), ('2025-01-13 11:00:00', 1, 3600)`,
    },
    { startDate: '2025-01-13' },
  );
  expect(answer.totalActiveMinutes).toBe(240);
  expect(answer['headline']).toMatch(
    /^4 h 00 min active on 2 days, most on 2025-01-13 \(3 h 00 min\), .*; Code 100 %; 0 % tagged$/,
  );
});
