import { parseWallTime } from '@deskside/core/dates';
import { expect, test } from 'vitest';
import type { Picture } from '../analysis/day-picture.ts';
import type { ManicTimeOptions } from '../options.ts';
import type { Fixture } from '../testing/fixture.ts';
import { named, row, served, site } from '../testing/test-server.ts';
import { pictureHtml, REPORT_MARK, reportPage } from './page.ts';

const from = parseWallTime('2025-01-15') ?? 0;
const range = { from, to: from + 86_400 };
const HOSTILE = '<script>alert(1)</script>" onload="x \u202E';

const fixture: Fixture = {
  applications: [
    row('09:00', '10:00', 'Code', { name: HOSTILE, id: 1 }),
    row('10:00', '11:00', 'Chrome', { name: 'News', id: 2 }),
    row('11:00', '12:00', 'Vault', { name: 'secret', id: 3 }),
  ],
  documents: [site('10:00', '11:00', 'news.example', { name: 'https://news.example/a', relatedId: 2 })],
  usage: [row('08:00', '10:30', 'Active'), row('10:30', '11:00', 'Away'), row('11:00', '12:00', 'Active')],
  tags: [named('09:00', '10:00', 'Client A, Billable')],
  sql: `INSERT INTO Ar_Group (ReportId, GroupId, Name, Color) VALUES (7, 1, 'Client A', 'ff8800')`,
};

async function pictureOf(more: Fixture = {}, options: ManicTimeOptions = {}, of = range): Promise<Picture> {
  await using server = served({ ...fixture, ...more }, options);
  return await server.records.query('picture', { range: of });
}

test('a picture has the lanes of a day in the colors of ManicTime, and active time only', async () => {
  const { days, top } = await pictureOf();
  expect(days).toMatchObject([
    {
      seconds: 2.5 * 3600,
      computer: [{ label: 'Active' }, { label: 'Away' }, { label: 'Active' }],
      applications: [
        { label: 'Code', seconds: 3600 },
        { label: 'Chrome', seconds: 1800, detail: 'News' },
        { label: 'Vault', seconds: 3600 },
      ],
      documents: [{ label: 'news.example', detail: 'https://news.example/a', seconds: 1800 }],
      tags: [{ label: 'Client A, Billable', color: '#FF8800' }],
    },
  ]);
  expect(top.tags.map(({ name }) => name)).toEqual(['Billable', 'Client A']);
  expect(top.applications.map(({ name, seconds }) => [name, seconds])).toEqual([
    ['Code', 3600],
    ['Vault', 3600],
    ['Chrome', 1800],
  ]);
});

test('a tag inside another one of its name neither shortens the bar nor counts twice', async () => {
  const tags = [named('09:00', '11:00', 'Client A'), named('09:30', '10:00', 'Client A')];
  const { days, top } = await pictureOf({ tags });
  expect(days[0]?.tags).toMatchObject([{ start: from + 9 * 3600, end: from + 11 * 3600, seconds: 7200 }]);
  expect(top.tags).toEqual([{ name: 'Client A', seconds: 5400 }]);
});

test('a picture says the day in one sentence, and has the share of each kind of program and of each item', async () => {
  const picture = await pictureOf();
  expect(picture.headline).toBe(
    '09:00 to 12:00, 2 h 30 min active, 1 break, longest stretch 1 h 30 min; Code 40 %, Vault 40 %, Chrome 20 %; 40 % tagged',
  );
  const html = pictureHtml(picture);
  expect(html).toContain(
    '<p class="number">2 h 30 min <small>active</small></p><p class="headline">09:00 to 12:00, 1 break, longest stretch 1 h 30 min; Code 40%, Vault 40%, Chrome 20%; 40% tagged.</p>',
  );
  const legend = /<ul class="legend">.*?<\/ul>/.exec(html)?.[0].replaceAll(/<[^>]*>/g, ' ');
  expect(legend?.match(/\w+ +\d+%/g)).toEqual(['Code  40%', 'Web  20%', 'Other  40%']);
  expect(html).toContain('--bar:var(--web);--part:20.000%"><span title="Chrome">');
});

test('a week is a column per day, as high as its active time and divided by kind of program, if its rows are left', async () => {
  const next = row('2025-01-16 09:00:00', '2025-01-16 10:15:00', 'Code');
  const applications = [...(fixture.applications ?? []), next];
  const sql = `INSERT INTO Ar_ApplicationByDay (Hour, CommonId, TotalSeconds) VALUES ('2025-01-17 09:00:00', 1, 3580)`;
  const picture = await pictureOf({ applications, sql }, {}, { from, to: from + 7 * 86_400 });
  expect(picture.headline).toMatch(
    /^4 h 45 min active on 3 days, most on 2025-01-15 \(2 h 30 min\), longest stretch 1 h 30 min; Code 68 %/,
  );
  expect(picture.notes).toMatchObject([{ reasonCode: 'AggregatesUsed' }]);
  const html = pictureHtml(picture);
  const columns = html.split('class="column"').slice(1);
  const texts = columns.map((column) => column.replaceAll(/<[^>]*>/g, ' ').trim());
  expect(texts.map((text) => text.split(/\s+/).slice(1, 4).join(' ')).slice(0, 3)).toEqual([
    '2:30 Wed 15',
    '1:15 Thu 16',
    '1:00 Fri 17',
  ]);
  expect(columns).toHaveLength(7);
  const times = [...html.matchAll(/data-at="([^"]*)" data-until="([^"]*)"/g)];
  expect(times.at(-1)?.slice(1)).toEqual(['2025-01-16T00:00:00', '2025-01-17T00:00:00']);
  expect(html.match(/(?<=tabindex=")-?\d/g)).toEqual(['0', '-1', '-1', '0', '0']);
  const heights = [...html.matchAll(/height:([\d.]+)%[^>]*aria-label="([^"]*)"/g)].map(([, height, name]) => [
    name,
    Number(height),
  ]);
  expect(heights).toEqual([
    ['Wednesday, 15 January 2025, Code: 1 h 00 min, 40%', 33.333],
    ['Wednesday, 15 January 2025, Web: 30 min, 20%', 16.667],
    ['Wednesday, 15 January 2025, Other: 1 h 00 min, 40%', 33.333],
    ['Thursday, 16 January 2025, Code: 1 h 15 min, 100%', 41.667],
  ]);
  // Of the day of which only totals are left.
  expect(html).toContain('height:33.148%;--bar:var(--other)');
  expect([...html.matchAll(/bottom:[\d.]+%">([^<]*)</g)].map(([, mark]) => mark)).toEqual([
    '0 h',
    '1 h',
    '2 h',
    '3 h',
  ]);
  expect(html).toContain('<p class="headline">On 3 days, most on Wednesday (2 h 30 min), longest stretch');
});

test('the page escapes markup and invisible characters of titles', async () => {
  const html = pictureHtml(await pictureOf());
  expect(html).not.toContain('<script>');
  expect(html).not.toContain('" onload="');
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot; onload=&quot;x');
  expect(html).not.toContain('\u202E');
});

test('every bar is named for screen readers and in the table, and each lane is one stop of the Tab key', async () => {
  const html = pictureHtml(await pictureOf());
  const names = [...html.matchAll(/class="bar" tabindex="(0|-1)"[^>]*aria-label="([^"]*)"/g)];
  expect(names).toHaveLength(8);
  expect(names.filter(([, stop]) => stop === '0')).toHaveLength(4);
  expect(names.map(([, , name]) => name)).toContain(
    '10:00–10:30, 30 min: news.example, https://news.example/a',
  );
  expect(html.match(/<tr><td>/g)).toHaveLength(8);
});

test('a lane whose first bar is before the shown hours is a stop of the Tab key', async () => {
  const usage = [
    row('00:00', '01:00', 'Away'),
    row('01:00', '09:00', 'Power off'),
    row('09:00', '12:00', 'Active'),
  ];
  const html = pictureHtml(await pictureOf({ usage }));
  expect(html).toMatch(/"Computer, [^>]*><button type="button" class="bar" tabindex="0"/);
});

test('the rules hide activities in the picture, and it says how many', async () => {
  const picture = await pictureOf({}, { exclude: ['app:vault'] });
  expect(JSON.stringify(picture)).not.toMatch(/Vault|secret/);
  expect(pictureHtml(picture)).toContain('Privacy rules hide 1 activities.');
});

test('a report is one file that loads nothing, with its screenshots inside', async () => {
  const shots = [{ label: 'Screenshot 2025-01-15 09:00:00', jpeg: new Uint8Array([255, 216]) }];
  const html = reportPage(await pictureOf(), { title: 'x', shots });
  expect(html.startsWith(REPORT_MARK)).toBe(true);
  expect(html).toContain("default-src 'none'");
  expect(html).toContain('src="data:image/jpeg;base64,/9g="');
  expect(html).not.toMatch(/(?:src|href)="(?!data:)/);
});

test('a program that continues after a short visit to another one is one bar, and the table has the visit', async () => {
  const applications = [
    row('09:00', '09:30', 'Code', { id: 1 }),
    row('09:30', '09:31', 'Chrome', { id: 2 }),
    row('09:32', '10:00', 'Code', { id: 3 }),
    row('10:30', '11:00', 'Code', { id: 4 }),
  ];
  const html = pictureHtml(await pictureOf({ applications, documents: [], usage: [], tags: [] }));
  const names = [...html.matchAll(/class="bar"[^>]*aria-label="([^"]*)"/g)].map(([, name]) => name);
  expect(names).toEqual(['09:00–10:00, 58 min: Code, Code window', '10:30–11:00, 30 min: Code, Code window']);
  expect(html.match(/<td class="text">Chrome</g)).toHaveLength(1);
});
