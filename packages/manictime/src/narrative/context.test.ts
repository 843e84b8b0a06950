import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { describe, expect, test } from 'vitest';
import { openCalled } from '../testing/call.ts';
import { type FixtureRow, writeFixture } from '../testing/fixture.ts';
import { DAY, narrative, row } from '../testing/narrative.ts';

const site = (from: string, to: string, group: string, more: Partial<FixtureRow> = {}) =>
  row(from, to, group, { type: 'ManicTime/WebSites', name: `https://${group}/page`, ...more });
const file = (from: string, to: string, path: string, more: Partial<FixtureRow> = {}) =>
  row(from, to, path, { type: 'ManicTime/Files', name: path, ...more });

describe('websites and documents', () => {
  test('come from the linked row, however much another overlaps', async () => {
    const answer = await narrative({
      applications: [row('09:00', '10:00', 'Chrome', { id: 500 })],
      documents: [
        site('09:00', '09:10', 'linked.example', { relatedId: 500 }),
        site('09:10', '10:00', 'other.example'),
        file('09:00', '09:20', String.raw`C:\Users\me\plan 1.docx`, { relatedId: 500 }),
      ],
    });
    expect(answer.segments).toMatchObject([
      { website: 'linked.example', document: 'file:///C:/Users/me/plan%201.docx' },
    ]);
  });

  test('else from the one that overlaps most, or ended less than 5 seconds before', async () => {
    const answer = await narrative({
      applications: [
        row('09:00', '10:00', 'Chrome'),
        row('10:30', '11:00', 'Edge'),
        row('12:00', '12:30', 'Firefox'),
      ],
      documents: [
        site('09:00', '09:20', 'short.example'),
        site('09:20', '10:00', 'long.example'),
        site('10:20:00', '10:29:56', 'just-before.example'),
        site('11:50:00', '11:59:54', 'too-early.example'),
      ],
    });
    expect(answer.segments.map(({ website }) => website)).toEqual([
      'long.example',
      'just-before.example',
      undefined,
    ]);
  });

  test('a browser keeps its site through consecutive windows, not across a gap or to another browser', async () => {
    const answer = await narrative(
      {
        applications: [
          row('09:00', '09:10', 'Google Chrome'),
          row('09:10', '09:20', 'Google Chrome'),
          row('09:20', '09:30', 'Firefox'),
          row('11:00', '11:10', 'Google Chrome'),
        ],
        documents: [site('09:00', '09:09', 'a.example')],
      },
      { maxGapMinutes: 0 },
    );
    // The first two are one segment; the site is that of both.
    expect(answer.segments.map(({ website }) => website)).toEqual(['a.example', undefined, undefined]);
  });

  test('a chat is neither, and an address never becomes a document', async () => {
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

  test('includeWebsites: false leaves them out everywhere', async () => {
    const fixture = {
      applications: [row('09:00', '10:00', 'Chrome', { id: 1 })],
      documents: [site('09:00', '10:00', 'a.example', { relatedId: 1 })],
    };
    const all = await narrative(fixture, { includeSummary: true });
    expect(all).toMatchObject({ topWebsites: [{ name: 'a.example', totalMinutes: 60 }] });
    const none = await narrative(fixture, { includeSummary: true, includeWebsites: false });
    expect(JSON.stringify(none)).not.toContain('a.example');
    expect(none).not.toHaveProperty('topWebsites');
  });
});

describe('tags', () => {
  const applications = [
    row('09:00', '10:00', 'Code', { id: 100 }),
    row('10:00', '11:00', 'Mail', { id: 101 }),
  ];

  test('of the Tags timeline belong to the segments they overlap', async () => {
    const tags = [
      row('09:30', '10:30', '', { name: 'Project B, Billable' }),
      row('10:15', '10:20', '', { name: 'Admin' }),
    ];
    const answer = await narrative({ applications, tags });
    expect(answer.segments.map(({ tags }) => tags)).toEqual([
      ['Billable', 'Project B'],
      ['Admin', 'Billable', 'Project B'],
    ]);
  });

  test('of tables of tags belong to their activity, and to no other timeline that has the same id', async () => {
    const sql = `INSERT INTO Ar_Tag VALUES (1, 'Deep work'); INSERT INTO Ar_ActivityTag VALUES (100, 1);`;
    const documents = [file('10:00', '11:00', 'a.txt', { id: 100 })];
    const answer = await narrative({ layout: 'earlier', applications, documents, sql });
    expect(answer.segments.map(({ tags }) => tags)).toEqual([['Deep work'], undefined]);
  });
});

describe('screenshots', () => {
  test('one lies within its segment, or there is none; suggestions are spread over the day', async () => {
    const folder = temporaryFolder();
    const hours = Array.from({ length: 9 }, (_, index) => String(index + 8).padStart(2, '0'));
    writeFixture(folder, {
      applications: hours.map((hour) => row(`${hour}:00`, `${hour}:50`, `App ${hour}`)),
    });
    const shots = join(folder, 'Screenshots', '2025-01-15');
    mkdirSync(shots, { recursive: true });
    const taken = ['08-10-00', '08-26-00', '09-55-00', ...hours.slice(2).map((hour) => `${hour}-25-00`)];
    for (const [index, time] of taken.entries())
      writeFileSync(join(shots, `2025-01-15_${time}_01-00_800_600_${index}_0.jpg`), '');
    await using server = openCalled(folder);
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
    const times = suggestedScreenshots.map(({ timestamp }) => timestamp.slice(11, 13));
    expect(times).toHaveLength(5);
    expect(times).toEqual(times.toSorted());
    expect(Number(times.at(-1)) - Number(times[0])).toBeGreaterThanOrEqual(6);
  });
});
