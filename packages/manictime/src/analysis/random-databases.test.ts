import { rmSync } from 'node:fs';
import { IS_PROOF, randomOf, randomSeeds } from '@deskside/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Count, type CountedRule, countSeconds } from '../testing/count-seconds.ts';
import { makeFolder } from '../testing/fixture.ts';
import {
  type RandomDatabase,
  randomDatabase,
  type RandomRow,
  stampOf,
  writeRandomDatabase,
} from '../testing/random-database.ts';
import { openTestServer, type TestServer } from '../testing/test-server.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;

const EFFECTS = ['none', 'exclude', 'redact'] as const;

const RULES: readonly { readonly text: string; readonly names: CountedRule['names'] }[] = [
  { text: 'app:va?lt', names: ({ group }, kind) => kind === 'application' && group === 'Vault' },
  {
    text: 'site:bank.example',
    names: ({ group }, kind) => kind === 'document' && group === 'www.bank.example',
  },
  { text: 'title:*salary*', names: ({ name }) => name.toLowerCase().includes('salary') },
];

// A proof has all layouts, indexes and time zones with all effects of all rules.
describe.each(randomSeeds(1, 40))('random database %i', (seed) => {
  const folder = makeFolder();
  const database = randomDatabase(seed);
  const about = `${database.layout}, index ${database.index}, ${database.zone}`;
  beforeAll(() => writeRandomDatabase(folder, database, seed));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const rule = RULES[seed % RULES.length];
  test.each(EFFECTS.filter((_, index) => IS_PROOF || index === Math.floor(seed / 3) % EFFECTS.length))(
    `all answers equal a count of every second (${about}, rule ${rule?.text}: %s)`,
    async (effect) => {
      const counted = effect === 'none' || rule === undefined ? undefined : { effect, names: rule.names };
      const options = effect === 'none' || rule === undefined ? {} : { [effect]: [rule.text] };
      await using server = openTestServer(folder, options);
      const count = countSeconds(database, counted);
      expect(await compare(server, database, count, counted !== undefined, seed)).toBeGreaterThan(4);
    },
    120_000,
  );
});

interface Named {
  readonly name: string;
  readonly totalMinutes: number;
}

/** Returns the number of compared ranges. */
async function compare(
  server: TestServer,
  database: RandomDatabase,
  count: Count,
  hasRule: boolean,
  seed: number,
): Promise<number> {
  const { days } = database;
  const [from, to] = [days[0] ?? 0, (days.at(-1) ?? 0) + DAY];
  const recorded = new Set(
    database.applications.flatMap(({ localStart, localEnd }) =>
      days.filter(
        (day) => Math.max(localStart + 1, localEnd) > day && Math.min(localStart, localEnd) < day + DAY,
      ),
    ),
  );
  const sums = database.sums.filter(({ time }) => !hasRule && !recorded.has(Math.floor(time / DAY) * DAY));
  const all = [
    ...count.applications.map((each) => ({ ...each, seconds: 1 })),
    ...sums.map(({ time, group, seconds }) => ({ local: time, label: group, seconds })),
  ];
  const random = randomOf(seed + 1000);
  const ranges = [
    ...days.map((day) => [day, day + DAY] as const),
    [from, to] as const,
    // Hours of days with single activities: ManicTime's own totals cannot be cut.
    ...[...recorded].map((day) => [day + random(12 * HOUR), day + 12 * HOUR + random(12 * HOUR)] as const),
  ];
  for (const range of ranges) {
    const [start, end] = range;
    const place = `${stampOf(start)} to ${stampOf(end)}`;
    const args = { startDate: isoOf(start), endDate: isoOf(end) };
    const inRange = <Item extends { readonly local: number }>(items: readonly Item[]) =>
      items.filter(({ local }) => local >= start && local < end);
    const narrative = await server.answer('get_activity_narrative', {
      ...args,
      includeSummary: true,
      maxSegments: 2000,
    });
    const total = inRange(all).reduce((sum, { seconds }) => sum + seconds, 0);
    expectMinutes(narrative['totalActiveMinutes'], total, place);
    expectNamed(narrative['topApplications'], inRange(all), place);
    expectNamed(narrative['topWebsites'], inRange(count.websites), place);
    const rows = overlapping(count, start, end);
    expect(narrative['hidden'], place).toEqual(
      hasRule
        ? {
            activities: count.concealed.filter((row) => touches(row, start, end)).length,
            screenshots: inRange(database.shots).length - inRange(count.visibleShots).length,
          }
        : undefined,
    );
    for (const [timelineId, shown] of [
      [3, rows.applications],
      [4, rows.documents],
    ] as const) {
      const answer = await server.answer('get_activities', { ...args, timelineId, limit: 5000 });
      expect(answer['count'], `timeline ${timelineId}, ${place}`).toBe(shown.length);
    }
    expect((await server.answer('get_tags', args))['count'], place).toBe(rows.tags.length);
    const listed = await server.answer('list_screenshots', { ...args, maxCount: 1 });
    expect(listed, place).toMatchObject({
      truncation: { totalAvailable: inRange(count.visibleShots).length },
    });
  }
  const whole = { startDate: isoOf(from), endDate: isoOf(to) };
  const { usage } = (await server.answer('get_application_usage', whole)) as {
    usage: (Named & { day: string })[];
  };
  for (const day of days) {
    const ofDay = usage.filter((each) => each.day === stampOf(day).slice(0, 10));
    expectNamed(
      ofDay,
      all.filter(({ local }) => local >= day && local < day + DAY),
      stampOf(day),
    );
  }
  const { websites } = (await server.answer('get_website_usage', { ...whole, minMinutes: 0 })) as {
    websites: { name: string; timeBreakdown: { period: string; minutes: number }[] }[];
  };
  const byHour = websites.flatMap(({ name, timeBreakdown }) =>
    timeBreakdown.map(({ period, minutes }) => ({ name: `${name} ${period}`, totalMinutes: minutes })),
  );
  const expectedHours = count.websites
    .filter(({ local }) => local >= from && local < to)
    .map(({ local, label }) => ({ label: `${label} ${hourOf(local)}` }));
  expectNamed(byHour, expectedHours, 'websites by hour');
  const hourly = (await server.answer('get_application_usage', { ...whole, granularity: 'hour' })) as {
    usage: (Named & { hour: string })[];
  };
  const isCounted = (local: number) => recorded.has(Math.floor(local / DAY) * DAY);
  expectNamed(
    hourly.usage
      .filter(({ hour }) => isCounted(Date.parse(`${hour}Z`) / 1000))
      .map(({ name, hour, totalMinutes }) => ({ name: `${name} ${hour}`, totalMinutes })),
    count.applications
      .filter(({ local }) => local >= from && local < to && isCounted(local))
      .map(({ local, label }) => ({ label: `${label} ${hourOf(local)}` })),
    'applications by hour',
  );
  const editor = (await server.answer('search_activities', {
    ...whole,
    application: 'editor',
    limit: 500,
  })) as {
    totalMinutes: number;
    activities: { start: string; durationMinutes: number }[];
    days: { date: string; totalMinutes: number; activities: number }[];
    truncation: object;
  };
  const returnedCount = editor.activities.length;
  expect(editor.truncation).toEqual({ truncated: false, returnedCount, totalAvailable: returnedCount });
  for (const { date, totalMinutes, activities } of editor.days) {
    const ofDay = editor.activities.filter((each) => each.start.startsWith(date));
    expect(ofDay, `matches of ${date}`).toHaveLength(activities);
    const minutes = ofDay.reduce((sum, { durationMinutes }) => sum + durationMinutes, 0);
    expect(Math.abs(minutes - totalMinutes), `matches of ${date}`).toBeLessThan(
      0.05 * (activities + 1) + 0.001,
    );
  }
  const inEditor = count.applications.filter(
    ({ local, label }) => label === 'Editor' && local >= from && local < to,
  );
  expectMinutes(editor['totalMinutes'], inEditor.length, 'search for an application');
  const tagged = await server.answer('get_tags', whole);
  const tagSeconds = count.tagged.filter(({ local }) => local >= from && local < to);
  expectMinutes(tagged['totalMinutes'], tagSeconds.length, 'all tags together');
  const singly = tagSeconds.flatMap(({ labels }) => labels.map((label) => ({ label })));
  expectNamed(tagged['totals'], singly, 'each tag');
  const combinations = (tagged['combinations'] ?? tagged['totals']) as {
    name?: string;
    names?: string[];
    totalMinutes: number;
  }[];
  expectNamed(
    combinations.map(({ name = '', names = [name], totalMinutes }) => ({ name: names.join(), totalMinutes })),
    tagSeconds.map(({ labels }) => ({ label: labels.join() })),
    'each combination of tags',
  );
  const summary = (await server.answer('get_period_summary', whole)) as {
    days: { date: string; totalActiveMinutes: number }[];
  };
  for (const day of days) {
    const seconds = all
      .filter(({ local }) => local >= day && local < day + DAY)
      .reduce((sum, each) => sum + each.seconds, 0);
    const found = summary.days.find(({ date }) => date === stampOf(day).slice(0, 10));
    expectMinutes(found?.totalActiveMinutes ?? 0, seconds, `summary of ${stampOf(day)}`);
  }
  return ranges.length;
}

function overlapping({ shown }: Count, start: number, end: number) {
  const within = (rows: readonly RandomRow[]) => rows.filter((row) => touches(row, start, end));
  return {
    applications: within(shown.applications),
    documents: within(shown.documents),
    tags: within(shown.tags),
  };
}

function touches({ localStart, localEnd }: RandomRow, start: number, end: number): boolean {
  return localStart < end && localEnd > start;
}

const hours = new Map<number, string>();

function hourOf(local: number): string {
  const hour = Math.floor(local / HOUR);
  const known = hours.get(hour) ?? isoOf(hour * HOUR);
  hours.set(hour, known);
  return known;
}

function isoOf(seconds: number): string {
  return stampOf(seconds).replace(' ', 'T');
}

/** Minutes are rounded to a tenth, once. */
function expectMinutes(minutes: unknown, seconds: number, place: string): void {
  expect(
    Math.abs(Number(minutes) * 6 * 10 - seconds),
    `${place}: ${String(minutes)} min, counted ${seconds} s`,
  ).toBeLessThanOrEqual(3.000_001);
}

function expectNamed(
  found: unknown,
  expected: readonly { readonly label: string; readonly seconds?: number }[],
  place: string,
): void {
  const seconds = new Map<string, number>();
  for (const each of expected) seconds.set(each.label, (seconds.get(each.label) ?? 0) + (each.seconds ?? 1));
  const named = (Array.isArray(found) ? found : []) as Named[];
  expect(named.map(({ name }) => name).toSorted(), place).toEqual([...seconds.keys()].toSorted());
  for (const { name, totalMinutes } of named)
    expectMinutes(totalMinutes, seconds.get(name) ?? 0, `${name}, ${place}`);
}
