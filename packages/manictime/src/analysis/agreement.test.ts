import { DAY, formatDate, HOUR } from '@deskside/core/dates';
import { randomOf, randomSeeds, temporaryFolder } from '@deskside/testkit';
import { describe, expect, test } from 'vitest';
import type { LocalRange } from '../database/model/activity.ts';
import type { Records } from '../queries/records.ts';
import { countAtoms, secondsOf, type Stretch, within } from '../testing/count-atoms.ts';
import { writeFixture } from '../testing/fixture.ts';
import { cutOf, randomFixture } from '../testing/random-fixture.ts';
import { openTestManicTime } from '../testing/test-server.ts';

type Sums = Readonly<Record<string, number>>;

/** Seconds per name, from one tool. */
type Way = (records: Records, range: LocalRange) => Promise<Sums>;

const NARRATIVE = {
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

function summed(pairs: Iterable<readonly [name: string, seconds: number]>): Sums {
  const sums: Record<string, number> = {};
  for (const [name, seconds] of pairs) if (seconds > 0) sums[name] = (sums[name] ?? 0) + seconds;
  return sums;
}

const narrativeOf = (records: Records, range: LocalRange) =>
  records.query('narrative', { range, options: NARRATIVE });
const usageOf =
  (subject: 'applications' | 'websites' | 'documents', grain: 'day' | 'hour'): Way =>
  async (records, range) => {
    const { rows } = await records.query('usageByPeriod', { subject, range, grain, limit: 1e6 });
    return summed(rows.map(({ item, seconds }) => [item.name, seconds]));
  };
const searched =
  (field: 'application' | 'website' | 'document' | 'tag', names: readonly string[]): Way =>
  async (records, range) =>
    summed(
      await Promise.all(
        names.map(async (name) => {
          const request = { range, terms: { [field]: name }, offset: 0, limit: 1 };
          return [name, (await records.query('search', request)).seconds] as const;
        }),
      ),
    );

/** Every way to ask the same question: all of them must give the seconds that the count gives. */
const WAYS: Readonly<
  Record<string, readonly [counted: (stretch: Stretch) => Iterable<string>, ...ways: Way[]]>
> = {
  'active time': [
    () => ['all'],
    async (records, range) => summed([['all', (await narrativeOf(records, range)).totalSeconds]]),
    async (records, range) =>
      summed(
        (await narrativeOf(records, range)).segments.map(({ seconds, otherSeconds }) => [
          'all',
          seconds + otherSeconds,
        ]),
      ),
    async (records, range) =>
      summed((await records.query('periodSummary', { range })).days.map(({ seconds }) => ['all', seconds])),
    async (records, range) =>
      summed(
        (await records.query('stateTotals', { range })).totals.map(({ activeSeconds = 0 }) => [
          'all',
          activeSeconds,
        ]),
      ),
    async (records, range) =>
      summed((await records.query('picture', { range })).days.map(({ seconds }) => ['all', seconds])),
  ],
  'active time of days': [
    ({ local }) => [formatDate(local)],
    async (records, range) => {
      const { days } = await records.query('periodSummary', { range });
      return summed(days.map(({ day, seconds }) => [formatDate(day), seconds]));
    },
    async (records, range) => {
      const { days } = await records.query('picture', { range });
      return summed(days.map(({ day, seconds }) => [formatDate(day), seconds]));
    },
    async (records, range) => {
      const { rows } = await records.query('usageByPeriod', {
        subject: 'applications',
        range,
        grain: 'day',
        limit: 1e6,
      });
      return summed(rows.map(({ period, seconds }) => [formatDate(period), seconds]));
    },
  ],
  'active time of hours': [
    ({ local }) => [String(Math.floor(local / HOUR) * HOUR)],
    async (records, range) => {
      const { rows } = await records.query('usageByPeriod', {
        subject: 'applications',
        range,
        grain: 'hour',
        limit: 1e6,
      });
      return summed(rows.map(({ period, seconds }) => [String(period), seconds]));
    },
  ],
  applications: [
    ({ application }) => [application],
    usageOf('applications', 'day'),
    usageOf('applications', 'hour'),
    async (records, range) =>
      summed(
        (await narrativeOf(records, range)).topApplications.map(({ item, seconds }) => [item.name, seconds]),
      ),
    async (records, range) =>
      summed(
        (await records.query('periodSummary', { range })).topApplications.map(({ item, seconds }) => [
          item.name,
          seconds,
        ]),
      ),
  ],
  'applications with a group': [
    ({ application }) => (['Firefox', 'Teams'].includes(application) ? [application] : []),
    async (records, range) => {
      const { Firefox, Teams } = await usageOf('applications', 'day')(records, range);
      return summed([
        ['Firefox', Firefox ?? 0],
        ['Teams', Teams ?? 0],
      ]);
    },
  ],
  websites: [
    ({ site }) => (site === undefined ? [] : [site]),
    usageOf('websites', 'day'),
    usageOf('websites', 'hour'),
    async (records, range) =>
      summed(
        (await narrativeOf(records, range)).topWebsites.map(({ item, seconds }) => [item.name, seconds]),
      ),
    searched('website', ['github.test', 'news.test', 'mail.test']),
  ],
  documents: [
    ({ file }) => (file === undefined ? [] : [file]),
    usageOf('documents', 'day'),
    usageOf('documents', 'hour'),
    searched('document', ['plan.md', 'budget.xlsx']),
  ],
  tags: [
    ({ tags }) => tags,
    async (records, range) =>
      summed(
        (await records.query('tagTotals', { range })).totals.map(({ name, activeSeconds = 0 }) => [
          name,
          activeSeconds,
        ]),
      ),
    searched('tag', ['Client A', 'Client B', 'Billable', 'Admin']),
  ],
};

describe.each(randomSeeds(1, 60))('another random database %i', (seed) => {
  test('every tool has the seconds of a count of every second, and parts of a range add up to it', async () => {
    const database = randomFixture(seed);
    const folder = temporaryFolder();
    writeFixture(folder, database.fixture);
    await using manictime = openTestManicTime({ dataDir: folder });
    const stretches = countAtoms(database);
    expect(secondsOf(stretches)).toBeGreaterThan(20_000);
    const { firstDay, days } = database;
    const random = randomOf(seed);
    const cut = cutOf(database, random);
    const ranges = [
      [firstDay - DAY, firstDay + (days + 1) * DAY],
      [firstDay - DAY, cut],
      [cut, firstDay + (days + 1) * DAY],
      [firstDay + DAY, firstDay + 2 * DAY],
      [firstDay + 2 * DAY, firstDay + 3 * DAY],
    ] as const;
    for (const [from, to] of ranges) {
      const counted = within(stretches, from, to);
      for (const [question, [countedAs, ...ways]] of Object.entries(WAYS)) {
        const expected: Record<string, number> = {};
        for (const stretch of counted)
          for (const name of countedAs(stretch)) expected[name] = (expected[name] ?? 0) + stretch.seconds;
        for (const [index, way] of ways.entries()) {
          const place = `${question}, way ${index}, ${formatDate(from)} to ${formatDate(to)}`;
          expect(await way(manictime.records, { from, to }), place).toEqual(expected);
        }
      }
    }
  });
});
