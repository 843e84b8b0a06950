import { parseWallTime } from '@deskside/core/dates';
import { expect, test } from 'vitest';
import type { Bar, DayPicture, Picture } from '../analysis/day-picture.ts';
import { pictureHtml } from './page.ts';

const from = parseWallTime('2025-01-15') ?? 0;

/** A bar of some hours of the day. */
function bar(start: number, end: number, label: string, more: Partial<Bar> = {}): Bar {
  const times = { start: from + start * 3600, end: from + end * 3600, seconds: (end - start) * 3600 };
  return { ...times, label, detail: undefined, color: undefined, ...more };
}

/** The HTML of days without a headline. */
function htmlOf(days: readonly Partial<DayPicture>[], top: Partial<Picture['top']> = {}): string {
  const empty = {
    day: from,
    seconds: 0,
    categories: {},
    computer: [],
    applications: [],
    documents: [],
    tags: [],
  };
  return pictureHtml({
    headline: undefined,
    days: days.map((day) => ({ ...empty, ...day })),
    top: { applications: [], documents: [], websites: [], tags: [], ...top },
    notes: [],
    concealed: 0,
  });
}

/** The hours of the axis with their places in percent. */
function axisOf(html: string): readonly (readonly [hour: number, left: number])[] {
  return [...html.matchAll(/<span style="left:([\d.]+)%">(\d+):00</g)].map(([, left, hour]) => [
    Number(hour),
    Number(left),
  ]);
}

/** The cells of the table. */
function rowsOf(html: string) {
  return [...html.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, cells = '']) =>
    [...cells.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, cell]) => cell),
  );
}

test.each([
  ['single hours', '9-10.5 15.2-16.1', 9, 17, 1],
  ['every second hour if there are many', '9-10 21.5-21.75', 9, 22, 2],
  ['twelve hours', '8-20', 8, 20, 1],
  ['the day only, of what is open over midnight', '-1-2 22-25', 0, 24, 2],
  ['at least an hour, after a bar that ends at midnight', '-2-0', 0, 1, 1],
  ['the whole day without bars', '', 0, 24, 2],
] as const)('the axis shows %s, and bars lie where their time is', (_, hours, first, last, step) => {
  const bars = Array.from(hours.matchAll(/(-?[\d.]+)-([\d.]+)/g), ([, start, end]) => [
    Number(start),
    Number(end),
  ]);
  const html = htmlOf([{ tags: bars.map(([start = 0, end = 0]) => bar(start, end, 'x')) }]);
  const expected = Array.from(
    { length: Math.floor((last - first) / step) + 1 },
    (_, index) => first + index * step,
  );
  expect(axisOf(html).map(([hour]) => hour)).toEqual(expected);
  const place = (hour: number) => ((Math.min(Math.max(hour, first), last) - first) / (last - first)) * 100;
  for (const [hour, left] of axisOf(html)) expect(left).toBeCloseTo(place(hour), 2);
  const drawn = [...html.matchAll(/style="left:([\d.]+)%;width:([\d.]+)%/g)].map(([, left, width]) =>
    [left, width].map(Number),
  );
  const shown = bars.filter(([, end = 0]) => end > first);
  expect(drawn).toHaveLength(shown.length);
  for (const [index, [start = 0, end = 0]] of shown.entries()) {
    expect(drawn[index]?.[0]).toBeCloseTo(place(start), 2);
    expect(drawn[index]?.[1]).toBeCloseTo(place(end) - place(start), 2);
  }
});

test('a bar has its name if it has room for it, and light or dark letters, whichever contrast more', () => {
  const applications = [
    bar(9, 10, 'Code', { category: 'code' }),
    bar(10, 11, 'News', { category: 'web' }),
    bar(11, 11.2, 'Short', { category: 'web', detail: 'page' }),
  ];
  const tags = [
    bar(9, 10, 'Orange', { color: '#FF8800', detail: 'Orange' }),
    bar(10, 11, 'Navy', { color: '#000080' }),
    bar(11, 12, 'Green', { color: '#00FF00' }),
    bar(13, 14, 'A, B'),
    bar(14, 15, 'A'),
  ];
  const computer = [bar(9, 10, 'Active', { isActive: true }), bar(10, 11, 'Away', { isActive: false })];
  const html = htmlOf([{ applications, tags, computer }]);
  const bars = [...html.matchAll(/--bar:([^;]+);--on:([^"]+)"[^>]*aria-label="([^"]*)">([^<]*)</g)];
  const found = new Map(
    bars.map(([, color, on, name = '', text]) => [name.split(': ')[1], [color, on, text]]),
  );
  expect(Object.fromEntries(found)).toMatchObject({
    Code: ['var(--code)', '#fff', 'Code'],
    News: ['var(--web)', '#000', 'News'],
    'Short, page': ['var(--web)', '#000', ''],
    Orange: ['#FF8800', '#000', 'Orange'],
    Navy: ['#000080', '#fff', 'Navy'],
    Green: ['#00FF00', '#000', 'Green'],
    Active: ['var(--quiet)', '#000', ''],
    Away: ['var(--line)', '#000', ''],
  });
  expect(found.get('A, B')?.[0]).toMatch(/^hsl/);
  expect(found.get('A, B')?.[0]).toBe(found.get('A')?.[0]);
});

test('a bar with a similar name and no color in ManicTime has a clearly different color', () => {
  const html = htmlOf([{ tags: ['Project A', 'Project B', 'Project C'].map((label) => bar(0, 1, label)) }]);
  const hues = [...html.matchAll(/--bar:hsl\((\d+)/g)].map(([, hue]) => Number(hue));
  expect(hues).toHaveLength(3);
  for (const [index, hue] of hues.entries()) {
    const distance = Math.abs(hue - (hues[(index + 1) % 3] ?? 0));
    expect(Math.min(distance, 360 - distance)).toBeGreaterThan(60);
  }
});

test('the table has all lanes in order of time, and dates if it has several days', () => {
  const days = [
    {
      tags: [bar(9, 10, 'Client'), bar(11, 11, 'Short', { seconds: 40 })],
      applications: [bar(10, 11, 'Code', { detail: 'a.ts' })],
      computer: [bar(8, 12, 'Active')],
    },
    { day: from + 86_400, documents: [bar(33, 33.5, 'plan.md', { seconds: 60 })] },
  ];
  expect(rowsOf(htmlOf(days))).toEqual([
    ['Date', 'Time', 'Duration', 'Kind', 'Name', 'Detail'],
    ['2025-01-15', '08:00–12:00', '4 h 00 min', 'Computer', 'Active', ''],
    ['2025-01-15', '09:00–10:00', '1 h 00 min', 'Tag', 'Client', ''],
    ['2025-01-15', '10:00–11:00', '1 h 00 min', 'Application', 'Code', 'a.ts'],
    ['2025-01-15', '11:00–11:00', '40 s', 'Tag', 'Short', ''],
    ['2025-01-16', '09:00–09:30', '1 min', 'Document', 'plan.md', ''],
  ]);
  const [heads, ...others] = rowsOf(htmlOf(days.slice(0, 1)));
  expect(heads).toEqual(['Time', 'Duration', 'Kind', 'Name', 'Detail']);
  expect(others).toHaveLength(4);
});

test('a top list has at most all of a total, and no share of none', () => {
  const websites = [{ name: 'news.example', category: 'web' as const, seconds: 5400 }];
  expect(htmlOf([{ seconds: 3600 }], { websites })).toContain('--part:100.000%');
  expect(htmlOf([{}], { websites })).toMatch(
    /--part:0\.000%.*<span>1 h 30 min<\/span><span class="soft">0%</,
  );
});

test('a text is shown up to 300 characters', () => {
  const html = htmlOf([{ tags: [bar(9, 10, 'x'.repeat(400))] }]);
  expect(html).toMatch(/[^x]x{299}…/);
  expect(html).not.toContain('x'.repeat(300));
});
