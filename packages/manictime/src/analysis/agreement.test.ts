import { DAY, formatDate, formatDateTime, HOUR } from '@deskside/core/dates';
import { IS_PROOF, randomOf, randomSeeds, temporaryFolder } from '@deskside/testkit';
import { describe, expect, test } from 'vitest';
import type { LocalRange } from '../database/model/activity.ts';
import type { Records } from '../queries/records.ts';
import { countAtoms, secondsOf, type Stretch, within } from '../testing/count-atoms.ts';
import { countSum, type CountedSum, hourOf, weekdayOf } from '../testing/count-sums.ts';
import { APPLICATIONS, DOCUMENTS, writeFixture } from '../testing/fixture.ts';
import { type CountedRule, hideRows } from '../testing/hide-rows.ts';
import { cutOf, PLUGIN, type PlannedRow, randomFixture, writePlanned } from '../testing/random-fixture.ts';
import { DAY as RANGE, openTestManicTime, row, served } from '../testing/test-server.ts';
import { type GroupKey, NAME_KEYS, TIME_KEYS } from './keys.ts';
import type { NarrativeOptions } from './narrative.ts';
import type { Sum } from './sums.ts';

const REDACTED = '[redacted]';
type Pairs = Iterable<readonly [name: string, seconds: number]>;

/** By name. */
function summed(pairs: Pairs): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const [name, seconds] of pairs) if (seconds > 0) sums[name] = (sums[name] ?? 0) + seconds;
  return sums;
}

interface Item {
  readonly item: { readonly name: string };
  readonly seconds: number;
}

const itemsOf = (list: readonly Item[]): Pairs => list.map(({ item, seconds }) => [item.name, seconds]);
const allOf = (list: readonly { readonly seconds: number }[]): Pairs =>
  list.map(({ seconds }) => ['all', seconds]);
const daysOf = (list: readonly { readonly day: number; readonly seconds: number }[]): Pairs =>
  list.map(({ day, seconds }) => [formatDate(day), seconds]);

/** All of a narrative, with nothing joined or left out. */
const WHOLE_NARRATIVE: NarrativeOptions = {
  includeWebsites: true,
  minDurationSeconds: 0,
  maxGapSeconds: 120,
  includeSegments: true,
  includeSummary: true,
  maxSegments: 100_000,
  joins: false,
  maxBytes: 1e9,
  maxTopItems: 1e6,
};

/** Questions, how the count names each stretch, and the seconds by name that several tools give. */
async function askedOf(
  records: Records,
  range: LocalRange,
): Promise<readonly (readonly [question: string, (stretch: Stretch) => Iterable<string>, ...Pairs[]])[]> {
  const usage = async (subject: 'applications' | 'websites' | 'documents') => {
    const request = { subject, range, limit: 1e6 };
    const [days, hours] = [
      await records.query('usageByPeriod', { ...request, grain: 'day' }),
      await records.query('usageByPeriod', { ...request, grain: 'hour' }),
    ];
    return { days: days.rows, hours: hours.rows, pairs: [itemsOf(days.rows), itemsOf(hours.rows)] };
  };
  const searched = async (
    field: 'website' | 'document' | 'tag',
    names: readonly string[],
  ): Promise<Pairs> => {
    const find = (name: string) => ({ range, terms: { [field]: name }, offset: 0, limit: 1 });
    return Promise.all(
      names.map(async (name) => [name, (await records.query('search', find(name))).seconds] as const),
    );
  };
  const narrative = await records.query('narrative', { range, options: WHOLE_NARRATIVE });
  const period = await records.query('periodSummary', { range });
  const picture = await records.query('picture', { range });
  const states = (await records.query('stateTotals', { range })).totals;
  const tags = (await records.query('tagTotals', { range })).totals;
  const [applications, websites, documents] = [
    await usage('applications'),
    await usage('websites'),
    await usage('documents'),
  ];
  const used = narrative.segments.map(({ seconds, otherSeconds }) => ({ seconds: seconds + otherSeconds }));
  return [
    [
      'active time',
      () => ['all'],
      [['all', narrative.totalSeconds]],
      allOf(used),
      allOf(period.days),
      allOf(states.map(({ activeSeconds = 0 }) => ({ seconds: activeSeconds }))),
      allOf(picture.days),
    ],
    [
      'active time of days',
      ({ local }) => [formatDate(local)],
      daysOf(period.days),
      daysOf(picture.days),
      applications.days.map(({ period: day, seconds }) => [formatDate(day), seconds]),
    ],
    [
      'active time of hours',
      ({ local }) => [String(Math.floor(local / HOUR) * HOUR)],
      applications.hours.map(({ period: hour, seconds }) => [String(hour), seconds]),
    ],
    [
      'applications',
      ({ application }) => [application],
      ...applications.pairs,
      itemsOf(narrative.topApplications),
      itemsOf(period.topApplications),
    ],
    [
      'websites',
      ({ site }) => (site === undefined ? [] : [site]),
      ...websites.pairs,
      itemsOf(narrative.topWebsites),
      await searched('website', ['github.test', 'news.test', 'mail.test', REDACTED]),
    ],
    [
      'documents',
      ({ file }) => (file === undefined ? [] : [file]),
      ...documents.pairs,
      await searched('document', ['plan.md', 'budget.xlsx', REDACTED]),
    ],
    [
      'tags',
      (stretch) => stretch.tags,
      tags.map(({ name, activeSeconds = 0 }) => [name, activeSeconds]),
      await searched('tag', ['Client A', 'Client B', 'Billable', 'Admin', REDACTED]),
    ],
  ];
}

const KEYS: readonly GroupKey[] = [...NAME_KEYS.filter((key) => key !== 'category'), ...TIME_KEYS];

const FILTERS: readonly (readonly [filters: object, counted: (stretch: Stretch) => boolean])[] = [
  [{}, () => true],
  [{ all: ['site:GITHUB test'] }, ({ site }) => site === 'github.test'],
  [{ none: ['application:teams'] }, ({ application }) => !/teams/i.test(application)],
  [{ all: ['untagged'] }, ({ tags }) => tags.size === 0],
  [
    { none: ['untagged'], all: ['app:code'] },
    ({ tags, application }) => tags.size > 0 && /code/i.test(application),
  ],
  [{ all: ['tag:a client'] }, ({ tags }) => tags.has('Client A')],
  [{ all: ['tag:"client b"', 'tag:billable'] }, ({ tags }) => tags.has('Client B')],
  [{ any: ['file:plan', 'site:news'] }, ({ file, site }) => file === 'plan.md' || site === 'news.test'],
  [{ all: ['weekday:sat,Sunday'] }, (stretch) => ['Saturday', 'Sunday'].includes(weekdayOf(stretch))],
  [{ all: ['hour:9-17'] }, (stretch) => hourOf(stretch) >= 9 && hourOf(stretch) < 17],
  [{ none: ['hour:22-6'] }, (stretch) => hourOf(stretch) < 22 && hourOf(stretch) >= 6],
  [{ all: ['title:"code 1"'] }, ({ title }) => title === 'Code 1'],
  [
    { all: ['text:client code'] },
    ({ tags, application, title, file, site }) => {
      const texts = [...tags, application, title, file, site].join('\n').toLowerCase();
      return texts.includes('client') && texts.includes('code');
    },
  ],
];

/** The times of instants that are not in order of local time are compared on one computer only. */
function comparable(
  { name, seconds, count, longest, first, last, groups, ungrouped }: Sum | CountedSum,
  isOne: boolean,
): object {
  return {
    name,
    seconds,
    ungrouped,
    ...(isOne ? { count, longest, first, last } : {}),
    groups: groups
      ?.map((group) => comparable(group, isOne))
      .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
  };
}

/** Of screenshots, in seconds: those within 10 seconds of hidden time are hidden. */
const OFFSETS = [-11, -10, -9, -1, 0, 9, 10, 11];
const EFFECTS = ['exclude', 'redact'] as const;
const LAYOUTS = ['current', 'earlier'] as const;
const INDEXES = ['ReportId, StartLocalTime', null, 'StartLocalTime'];
const RULES: readonly (Pick<CountedRule, 'names'> & { readonly text: string })[] = [
  { text: 'app:te?ms', names: ({ kind, group }) => kind === 'application' && group === 'Teams' },
  { text: 'site:news.test', names: ({ group }) => group === 'news.test' },
  { text: 'title:*1', names: ({ kind, name = '' }) => kind !== 'state' && name.includes('1') },
  { text: 'title:client', names: ({ kind, name = '' }) => kind === 'tag' && name.includes('Client') },
];

const sortedNames = (rows: readonly { readonly name?: string | undefined }[]) =>
  rows.map(({ name = '' }) => name).toSorted();

/** What the rules leave of rows and screenshots, and how many they conceal. */
async function leftOf(records: Records, range: LocalRange) {
  const rowsOf = (of: { timelineId: number } | { kind: 'tags' }) =>
    records.query('rows', { of, range, limit: 1e6, showsGroups: false });
  const names = [APPLICATIONS, DOCUMENTS, PLUGIN].map(async (timelineId) => {
    const found = await rowsOf({ timelineId });
    return sortedNames((found?.rows ?? []).map(({ activity }) => activity));
  });
  const shots = { range, maxCount: 1, strategy: 'interval' } as const;
  const { total, hidden } = await records.query('screenshots', shots);
  const { concealed } = await records.query('narrative', { range, options: WHOLE_NARRATIVE });
  return {
    names: await Promise.all(names),
    tags: (await rowsOf({ kind: 'tags' }))?.total,
    shots: { total, hidden },
    concealed,
  };
}

describe.each(randomSeeds(1, 60))('another random database %i', (seed) => {
  const cases = [...RULES, undefined].map((rule, at) => ({
    rule: rule && { ...rule, effect: EFFECTS[(seed + (at >> 1)) % 2] ?? 'exclude' },
    layout: LAYOUTS[(seed + at) % 2] ?? 'current',
    index: INDEXES[at % 3] ?? null,
  }));
  test.each(cases)(
    'every tool has the seconds of a count of every second, and parts of a range add up to it ($rule.effect $rule.text, layout $layout, index $index)',
    async ({ rule, layout, index }) => {
      const planned = randomFixture(seed, rule !== undefined);
      const { firstDay, days, localOf } = planned;
      const [begin, end] = [firstDay - DAY, firstDay + (days + 1) * DAY];
      const random = randomOf(seed + 1000);
      // At any time, and where windows and what was open in them begin and end.
      const edges = planned.rows.flatMap(({ kind, start, end }) =>
        ['application', 'site', 'file'].includes(kind) ? [start, end] : [],
      );
      const around = () => (edges[random(edges.length)] ?? firstDay) + (OFFSETS[random(OFFSETS.length)] ?? 0);
      const shots = Array.from({ length: 160 }, (_, place) =>
        place % 4 === 0 ? firstDay + random(days * DAY) : around(),
      );
      const dataDir = temporaryFolder();
      writePlanned(dataDir, planned, shots, { layout, index });
      // The earlier layout has no column for the window of a page.
      const rows = planned.rows.map(({ relatedId, ...row }): PlannedRow =>
        layout === 'earlier' || relatedId === undefined ? row : Object.assign(row, { relatedId }),
      );
      const left = hideRows(rows, rule);
      const stretches = countAtoms({ ...planned, rows: left.rows });
      await using manictime = openTestManicTime({ dataDir, ...(rule && { [rule.effect]: [rule.text] }) });
      const cut = cutOf(planned, random);
      for (const [from, to] of [
        [begin, end],
        [begin, cut],
        [cut, end],
        [firstDay + DAY, firstDay + 2 * DAY],
      ] as const) {
        const range = `${formatDateTime(from)} to ${formatDateTime(to)}`;
        const counted = within(stretches, from, to);
        for (const [question, namesOf, ...ways] of await askedOf(manictime.records, { from, to })) {
          const pairs = counted.flatMap((stretch) =>
            Array.from(namesOf(stretch), (name) => [name, stretch.seconds] as const),
          );
          for (const [index, way] of ways.entries())
            expect(summed(way), `${question}, way ${index}, ${range}`).toEqual(summed(pairs));
        }
        const touches = (row: PlannedRow) =>
          localOf(row.device, row.start) < to && localOf(row.device, row.end) > from;
        const shown = left.rows.filter(touches);
        const taken = shots.filter((at) => localOf(1, at) >= from && localOf(1, at) < to);
        const total = taken.filter((at) => left.isVisible(at)).length;
        expect(await leftOf(manictime.records, { from, to }), range).toEqual({
          names: [APPLICATIONS, DOCUMENTS, PLUGIN].map((timelineId) =>
            sortedNames(shown.filter(({ report }) => report === timelineId)),
          ),
          tags: shown.filter(({ kind }) => kind === 'tag').length,
          shots: { total, hidden: taken.length - total },
          concealed: left.concealed.filter(touches).length,
        });
      }
    },
  );

  test('sum_time has the seconds, stretches and times of a count of every second, for all groups and filters', async () => {
    const database = randomFixture(seed);
    const { firstDay, days } = database;
    const [begin, end] = [firstDay - DAY, firstDay + (days + 1) * DAY];
    const dataDir = temporaryFolder();
    writeFixture(dataDir, database.fixture);
    await using manictime = openTestManicTime({ dataDir });
    const stretches = countAtoms(database);
    const random = randomOf(seed);
    const isOne = new Set(database.rows.map(({ device }) => device)).size === 1;
    for (const [index, from] of [begin, cutOf(database, random)].entries()) {
      const range = { from, to: end };
      const counted = within(stretches, from, end);
      for (const [filters, counts] of FILTERS.filter((_, at) => IS_PROOF || (at + seed) % 2 === index)) {
        const filtered = counted.filter(counts);
        for (const count of IS_PROOF ? [0, 1, 1, 2, 2, 2] : [random(2), 2]) {
          const groupBy = Array.from({ length: count }, () => KEYS[random(KEYS.length)] ?? 'day');
          const asked = { all: [], any: [], none: [], top: 1e6, topGiven: false, withStretches: true };
          const request = { range, groupBy, ...asked, ...filters };
          const { sum, activeSeconds } = await manictime.records.query('sumTime', request);
          const place = JSON.stringify({ seed, from, groupBy, filters });
          expect(activeSeconds, place).toBe(secondsOf(counted));
          expect(comparable(sum, isOne), place).toEqual(comparable(countSum(filtered, groupBy), isOne));
        }
      }
    }
  });
});

test('titles are without counters unless they are asked for, and time is summed by category', async () => {
  await using server = served({
    applications: [
      row('09:00', '09:10', 'Chrome', { name: '(3) Inbox' }),
      row('09:10', '09:30', 'Chrome', { name: 'Inbox' }),
      row('09:30', '10:00', 'Visual Studio', { name: 'f(1) { } (2)' }),
    ],
  });
  const ask = async (args: object) => (await server.answer('sum_time', { ...RANGE, ...args }))['groups'];
  expect(await ask({ groupBy: ['title'] })).toMatchObject([
    { name: 'Inbox', totalMinutes: 30 },
    { name: 'f(1) { }', totalMinutes: 30 },
  ]);
  expect(await ask({ groupBy: ['title'], exactTitles: true })).toHaveLength(3);
  expect(await ask({ groupBy: ['category'], none: ['category:mail'] })).toMatchObject([
    { name: 'code', totalMinutes: 30 },
    { name: 'web', totalMinutes: 30 },
  ]);
});
