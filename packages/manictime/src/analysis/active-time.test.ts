import { rmSync } from 'node:fs';
import { DAY, formatDate, parseWallTime } from '@deskside/core/dates';
import { IS_PROOF } from '@deskside/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openActivityDatabase } from '../database/database.ts';
import { writeDataFolder } from '../testing/data-folder.ts';
import { makeFolder } from '../testing/fixture.ts';
import { secondsByDay } from '../testing/seconds.ts';
import { openTestServer } from '../testing/test-server.ts';
import { buildNarrative } from './narrative.ts';
import { summarizePeriod } from './period-summary.ts';
import { privacyRules } from './privacy.ts';

const rules = privacyRules({});
const everything = {
  includeWebsites: true,
  minDurationSeconds: 0,
  maxGapSeconds: 120,
  includeSegments: true,
  includeSummary: false,
  maxSegments: 100_000,
  joins: false,
  maxBytes: 1e9,
  maxTopItems: 1e6,
};

/** `npm run proof` counts a whole year: both clock changes, two trips, late Fridays, overlapping rows, three weeks off. */
describe.each([
  { layout: 'current', startIndex: true, growingIds: true, days: IS_PROOF ? 365 : 30 },
  { layout: 'current', startIndex: false, growingIds: true, days: IS_PROOF ? 60 : 14 },
  { layout: 'earlier', startIndex: false, growingIds: false, days: IS_PROOF ? 40 : 10 },
  { layout: 'current', startIndex: true, growingIds: true, days: IS_PROOF ? 10 : 3, profile: 'heavy' },
] as const)(
  'active time of $days days (layout $layout, index $startIndex, growing ids $growingIds)',
  (variant) => {
    const folder = makeFolder();
    const last = parseWallTime('2026-11-20') ?? 0;
    const first = last - (variant.days - 1) * DAY;
    let expected: Map<string, number>;

    beforeAll(async () => {
      await writeDataFolder({ folder, profile: 'light', until: '2026-11-20', seed: 3, ...variant });
      expected = secondsByDay(folder);
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    test('buildNarrative has on each day the seconds of a brute-force count, and its segments add up to them', async () => {
      const database = openActivityDatabase(folder);
      const found = await database.read((snapshot) => {
        const days = new Map<string, number>();
        for (let day = first; day <= last + DAY; day += DAY) {
          const narrative = buildNarrative(snapshot, { from: day, to: day + DAY }, rules, everything);
          if (narrative.totalSeconds > 0) days.set(formatDate(day), narrative.totalSeconds);
          expect(
            narrative.segments.reduce((sum, { seconds, otherSeconds }) => sum + seconds + otherSeconds, 0),
          ).toBe(narrative.totalSeconds);
        }
        return days;
      });
      expect(expected.size).toBeGreaterThan(variant.days * 0.9);
      expect([...found]).toEqual([...expected].toSorted(([a], [b]) => (a < b ? -1 : 1)));
    });

    test('summarizePeriod has the same seconds per day', async () => {
      const database = openActivityDatabase(folder);
      const found = new Map<string, number>();
      for (let from = first; from <= last + DAY; from += 31 * DAY) {
        const { days } = await database.read((snapshot) =>
          summarizePeriod(snapshot, { from, to: from + 31 * DAY }, rules),
        );
        for (const { day, seconds } of days) found.set(formatDate(day), seconds);
      }
      expect([...found].filter(([, seconds]) => seconds > 0)).toEqual(
        [...expected].toSorted(([a], [b]) => (a < b ? -1 : 1)),
      );
    });

    test('get_daily_summary answers the same in minutes', async () => {
      await using called = openTestServer(folder);
      for (let day = first; day <= last + DAY; day += DAY) {
        const date = formatDate(day);
        const { totalActiveMinutes } = await called.answer('get_daily_summary', {
          date,
          includeSegments: false,
        });
        const tenths = (expected.get(date) ?? 0) / 6;
        expect(Math.abs(Number(totalActiveMinutes) * 10 - tenths), date).toBeLessThanOrEqual(0.500_001);
      }
    });
  },
);
