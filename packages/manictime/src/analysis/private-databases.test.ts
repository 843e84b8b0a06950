import { formatDateTime } from '@deskside/core/dates';
import { randomOf, randomSeeds, temporaryFolder } from '@deskside/testkit';
import { describe, expect, test } from 'vitest';
import { countAtoms, secondsOf, type Stretch, within } from '../testing/count-atoms.ts';
import { APPLICATIONS, DOCUMENTS } from '../testing/fixture.ts';
import { type CountedRule, hideRows } from '../testing/hide-rows.ts';
import { PLUGIN, type PlannedRow, randomFixture, writePlanned } from '../testing/random-fixture.ts';
import { openTestServer } from '../testing/test-server.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;

/** Of screenshots, in seconds: those within 10 seconds of hidden time are hidden. */
const OFFSETS = [-11, -10, -9, -1, 0, 9, 10, 11];
const EFFECTS = ['exclude', 'redact'] as const;
const LAYOUTS = ['current', 'earlier'] as const;
const INDEXES = ['ReportId, StartLocalTime', null, 'StartLocalTime'];
const RULES: readonly { readonly text: string; readonly names: CountedRule['names'] }[] = [
  { text: 'app:te?ms', names: ({ kind, group }) => kind === 'application' && group === 'Teams' },
  { text: 'site:news.test', names: ({ group }) => group === 'news.test' },
  { text: 'title:*1', names: ({ kind, name = '' }) => kind !== 'state' && name.includes('1') },
  { text: 'title:client', names: ({ kind, name = '' }) => kind === 'tag' && name.includes('Client') },
];

describe.each(randomSeeds(1, 60))('a random database with a rule %i', (seed) => {
  const cases = [...RULES, undefined].map((rule, at) => ({
    rule: rule && { ...rule, effect: EFFECTS[(seed + (at >> 1)) % 2] ?? 'exclude' },
    layout: LAYOUTS[(seed + at) % 2] ?? 'current',
    index: INDEXES[at % 3] ?? null,
  }));
  test.each(cases)(
    'all answers equal a count of every second ($rule.effect $rule.text, layout $layout, index $index)',
    async ({ rule, layout, index }) => {
      const folder = temporaryFolder();
      const random = randomOf(seed + 1000);
      const planned = randomFixture(seed, true);
      const { firstDay, days, localOf } = planned;
      // At any time, and where windows and what was open in them begin and end.
      const edges = planned.rows.flatMap(({ kind, start, end }) =>
        ['application', 'site', 'file'].includes(kind) ? [start, end] : [],
      );
      const around = () => (edges[random(edges.length)] ?? firstDay) + (OFFSETS[random(OFFSETS.length)] ?? 0);
      const shots = Array.from({ length: 160 }, (_, place) =>
        place % 4 === 0 ? firstDay + random(days * DAY) : around(),
      );
      writePlanned(folder, planned, shots, { layout, index });
      // The earlier layout has no column for the window of a page.
      const rows = planned.rows.map(({ relatedId, ...row }): PlannedRow =>
        layout === 'earlier' || relatedId === undefined ? row : Object.assign(row, { relatedId }),
      );
      const left = hideRows(rows, rule);
      const stretches = countAtoms({ ...planned, rows: left.rows });
      await using server = openTestServer(folder, rule === undefined ? {} : { [rule.effect]: [rule.text] });
      const from = firstDay + random(12 * HOUR);
      const ranges = [
        [firstDay - DAY, firstDay + (days + 1) * DAY],
        [firstDay + DAY, firstDay + 2 * DAY],
        [from, from + random(DAY)],
      ] as const;
      for (const [start, end] of ranges) {
        const range = { startDate: formatDateTime(start), endDate: formatDateTime(end) };
        const place = `${range.startDate} to ${range.endDate}`;
        const touches = (row: PlannedRow) =>
          localOf(row.device, row.start) < end && localOf(row.device, row.end) > start;
        const visible = shots.filter((at) => localOf(1, at) >= start && localOf(1, at) < end);
        const taken = visible.filter((at) => left.isVisible(at));
        const counted = within(stretches, start, end);
        const narrative = await server.answer('get_activity_narrative', { ...range, includeSummary: true });
        expectMinutes([narrative['totalActiveMinutes']], secondsOf(counted), place);
        expectNamed(narrative['topApplications'], counted, ({ application }) => application, place);
        expectNamed(narrative['topWebsites'], counted, ({ site }) => site, place);
        const activities = left.concealed.filter(touches).length;
        expect(narrative['hidden'], place).toEqual(
          rule === undefined ? undefined : { activities, screenshots: visible.length - taken.length },
        );
        for (const timelineId of [APPLICATIONS, DOCUMENTS, PLUGIN]) {
          const listed = await server.answer('get_activities', { ...range, timelineId, limit: 5000 });
          const shown = left.rows.filter((row) => row.report === timelineId && touches(row));
          expect(namesOf(listed['activities'] as []), `timeline ${timelineId}, ${place}`).toEqual(
            namesOf(shown),
          );
        }
        const tags = left.rows.filter(({ kind }) => kind === 'tag');
        const tagged = await server.answer('get_tags', { ...range, limit: 5000 });
        expect(tagged['count'], place).toBe(tags.filter(touches).length);
        expect(await server.answer('list_screenshots', { ...range, maxCount: 1 }), place).toMatchObject({
          truncation: { totalAvailable: taken.length },
        });
        const found = await server.answer('search_activities', { ...range, application: 'code' });
        const inCode = counted.filter(({ application }) => application === 'Code');
        expectMinutes([found['totalMinutes']], secondsOf(inCode), `search, ${place}`);
      }
    },
  );
});

function namesOf(list: readonly { readonly name?: string | undefined }[]): readonly string[] {
  return list.map(({ name = '' }) => name).toSorted();
}

/** Each number of minutes is rounded to a tenth, once. */
function expectMinutes(minutes: readonly unknown[], seconds: number, place: string): void {
  const sum = minutes.reduce((total: number, each) => total + Number(each), 0);
  const about = `${place}: ${sum} min, counted ${seconds} s`;
  expect(Math.abs(sum * 60 - seconds), about).toBeLessThanOrEqual(3.000_001 * minutes.length);
}

/** Two timelines can have items of one name. */
function expectNamed(
  found: unknown,
  counted: readonly Stretch[],
  nameOf: (stretch: Stretch) => string | undefined,
  place: string,
): void {
  const listed = (found ?? []) as readonly { readonly name: string; readonly totalMinutes: number }[];
  const named = Map.groupBy(listed, ({ name }) => name);
  const expected = Map.groupBy(counted, nameOf);
  expected.delete(undefined);
  expect(new Set(named.keys()), place).toEqual(new Set(expected.keys()));
  for (const [name, items] of named) {
    const minutes = items.map(({ totalMinutes }) => totalMinutes);
    expectMinutes(minutes, secondsOf(expected.get(name) ?? []), `${name}, ${place}`);
  }
}
