import { DAY } from '@deskside/core/dates';
import { IS_PROOF, randomOf, randomSeeds, temporaryFolder } from '@deskside/testkit';
import { describe, expect, test } from 'vitest';
import { countAtoms, secondsOf, type Stretch, within } from '../testing/count-atoms.ts';
import { countSum, type CountedSum, hourOf, weekdayOf } from '../testing/count-sums.ts';
import { writeFixture } from '../testing/fixture.ts';
import { cutOf, randomFixture } from '../testing/random-fixture.ts';
import { DAY as RANGE, openTestManicTime, row, served } from '../testing/test-server.ts';
import { type GroupKey, NAME_KEYS, TIME_KEYS } from './keys.ts';
import type { Sum } from './sums.ts';

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

describe.each(randomSeeds(1, 60))('sums of random database %i', (seed) => {
  test('sum_time has the seconds, stretches and times of a count of every second, for all groups and filters', async () => {
    const database = randomFixture(seed);
    const folder = temporaryFolder();
    writeFixture(folder, database.fixture);
    await using manictime = openTestManicTime({ dataDir: folder });
    const stretches = countAtoms(database);
    const { firstDay, days } = database;
    const random = randomOf(seed);
    const cut = cutOf(database, random);
    const isOne = new Set(database.rows.map(({ device }) => device)).size === 1;
    const ranges = [
      [firstDay - DAY, firstDay + (days + 1) * DAY],
      [cut, firstDay + (days + 1) * DAY],
    ] as const;
    for (const [index, [from, to]] of ranges.entries()) {
      const counted = within(stretches, from, to);
      for (const [filters, counts] of FILTERS.filter((_, at) => IS_PROOF || (at + seed) % 2 === index)) {
        const filtered = counted.filter(counts);
        for (const count of IS_PROOF ? [0, 1, 1, 2, 2, 2] : [random(2), 2]) {
          const groupBy = Array.from({ length: count }, () => KEYS[random(KEYS.length)] ?? 'day');
          const request = {
            range: { from, to },
            groupBy,
            all: [],
            any: [],
            none: [],
            top: 1e6,
            topGiven: false,
            withStretches: true,
            ...filters,
          };
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
