import { DAY, HOUR } from '@deskside/core/dates';
import { IS_PROOF, randomOf, randomSeeds, temporaryFolder } from '@deskside/testkit';
import { describe, expect, test } from 'vitest';
import { writeDataFolder } from '../testing/data-folder.ts';
import { randomFixture } from '../testing/random-fixture.ts';
import {
  named,
  narrative,
  type NarrativeAnswer,
  openTestServer,
  row,
  served,
} from '../testing/test-server.ts';

/** Each segment is rounded to a tenth of a minute. */
const ROUNDING_MINUTES = 0.05;

function expectWhole(answer: NarrativeAnswer, all: NarrativeAnswer, place: string): void {
  const { segments, totalActiveMinutes, truncation } = answer;
  const total = segments.reduce(
    (sum, { durationMinutes, otherMinutes = 0 }) => sum + durationMinutes + Number(otherMinutes),
    0,
  );
  expect(Math.abs(total - totalActiveMinutes), place).toBeLessThanOrEqual(
    ROUNDING_MINUTES * (2 * segments.length + 1) + 0.001,
  );
  expect(answer).not.toHaveProperty('nextStartDate');
  const joined = segments.map(({ joinedSegments = 1 }) => Number(joinedSegments));
  expect(
    joined.reduce((sum, count) => sum + count, 0),
    place,
  ).toBe(all.segments.length);
  expect(totalActiveMinutes, place).toBe(all.totalActiveMinutes);
  expect(segments[0]?.start, place).toBe(all.segments[0]?.start);
  expect(segments.at(-1)?.end, place).toBe(all.segments.at(-1)?.end);
  expect(truncation, place).toEqual({
    truncated: segments.length < all.segments.length || JSON.stringify(answer).includes('"omitted'),
    returnedCount: segments.length,
    totalAvailable: all.segments.length,
  });
  const { diagnostics } = answer as { diagnostics?: { remediationHint?: string } };
  const isShortened = segments.length < all.segments.length;
  expect(/shorter than \d+ (s|min|h \d+ min) /.test(diagnostics?.remediationHint ?? ''), place).toBe(
    isShortened,
  );
}

describe.each(randomSeeds(1, 60))('random database %i', (seed) => {
  test('a narrative is cut at maxSegments, and a brief one covers all of the range and adds up to the total', async () => {
    const database = randomFixture(seed);
    await using server = served(database.fixture);
    const ask = async (args: object) =>
      (await server.answer('get_activity_narrative', { ...args })) as NarrativeAnswer;
    const random = randomOf(seed);
    const { firstDay, days } = database;
    for (let day = firstDay; day < firstDay + days * DAY; day += DAY) {
      const [from, to] = [day + random(6 * HOUR), day + DAY - random(4 * HOUR)].map((time) =>
        new Date(time * 1000).toISOString().slice(0, 19),
      );
      const range = { startDate: from, endDate: to, maxGapMinutes: random(3) };
      const all = await ask({ ...range, maxSegments: 2000 });
      for (const maxSegments of [1, 2, 3, 5, 8, 13, 21]) {
        const cut = await ask({ ...range, maxSegments });
        expect(cut.segments, 'the list is cut').toEqual(all.segments.slice(0, maxSegments));
        const answer = await ask({ ...range, maxSegments, detail: 'brief' });
        const place = `${from} to ${to} in ${maxSegments}`;
        expect(answer.segments.length, place).toBeLessThanOrEqual(maxSegments);
        expectWhole(answer, all, place);
      }
      expectWhole(await ask({ ...range, detail: 'brief' }), all, `${from}, brief`);
    }
  });
});

test('the narrative of heavy days covers each of them, and a brief one has 8 kB', async () => {
  const folder = temporaryFolder();
  const days = IS_PROOF ? 200 : 4;
  await writeDataFolder({ folder, profile: 'heavy', days, until: '2026-11-20', seed: 5 });
  await using server = openTestServer(folder);
  for (let day = 0; day < days; day += 1) {
    const date = new Date(Date.UTC(2026, 10, 20 - day)).toISOString().slice(0, 10);
    const endDate = new Date(Date.UTC(2026, 10, 21 - day)).toISOString().slice(0, 10);
    const range = { startDate: date, endDate, includeSummary: true };
    const all = await server.answer('get_activity_narrative', { ...range, maxSegments: 2000 });
    for (const detail of ['full', 'brief']) {
      const answer = await server.answer('get_activity_narrative', { ...range, detail });
      expectWhole(answer as NarrativeAnswer, all as NarrativeAnswer, `${date} ${detail}`);
      expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(detail === 'brief' ? 8000 : 60_000);
    }
    const summary = await server.answer('get_daily_summary', { date, detail: 'brief' });
    expect(Buffer.byteLength(JSON.stringify(summary))).toBeLessThan(8000);
  }
});

test('a joined segment names the application that was used longest, with its title, and has the tags of all', async () => {
  const { segments, diagnostics } = await narrative(
    {
      applications: [
        row('09:00', '09:30', 'Code', { name: 'a.ts' }),
        row('09:30', '09:31', 'Mail', { name: 'Inbox' }),
        row('09:31', '09:51', 'Chrome', { name: 'News' }),
        row('09:51', '09:53', 'Mail', { name: 'Inbox' }),
        row('09:53', '10:30', 'Chrome', { name: 'Docs' }),
        row('17:00', '18:00', 'Code', { name: 'b.ts' }),
      ],
      tags: [named('09:51', '09:52', 'Client A')],
    },
    { maxSegments: 3, detail: 'brief' },
  );
  expect(segments).toMatchObject([
    { end: '2025-01-15T09:30:00', application: 'Code', title: 'a.ts', durationMinutes: 30 },
    { application: 'Chrome', title: 'Docs', durationMinutes: 57, otherMinutes: 3, joinedSegments: 4 },
    { start: '2025-01-15T17:00:00', application: 'Code', title: 'b.ts' },
  ]);
  expect(diagnostics).toMatchObject({
    remediationHint: expect.stringMatching(/6 segments are joined to 3.*maxSegments without detail=brief/),
  });
});

test.each([
  ['09:00:50', '1 min'],
  ['09:02:30', '3 min'],
  ['09:20:00', '22 min'],
  ['11:30:00', '2 h 57 min'],
])('visits that end at %s after 09:00 are named as shorter than %s', async (until, text) => {
  const applications = [
    row('05:00', '09:00', 'Code'),
    row('09:00', until, 'Chrome'),
    row(until, '16:00', 'Mail'),
  ];
  const { diagnostics, segments } = await narrative({ applications }, { maxSegments: 2, detail: 'brief' });
  expect(segments).toHaveLength(2);
  expect(JSON.stringify(diagnostics)).toContain(
    `3 segments are joined to 2: visits and breaks shorter than ${text} belong to the segment beside them`,
  );
});
