import { rmSync } from 'node:fs';
import { writeDataFolder } from '@deskside/manictime-data';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openActivityDatabase } from '../database/database.ts';
import { tellNarrative } from '../narrative/narrative.ts';
import { privacyRules } from '../privacy/rules.ts';
import { openCalled } from '../testing/call.ts';
import { makeFolder } from '../testing/temporary-folder.ts';
import { secondsByDay } from '../testing/seconds.ts';
import { DAY, formatDate, parseWallTime } from '../time/wall-clock.ts';
import { summarizePeriod } from '../usage/period-summary.ts';

const rules = privacyRules({});
const everything = {
  includeWebsites: true,
  minDuration: 0,
  maxGap: 120,
  includeSegments: true,
  includeSummary: false,
  maxSegments: 100_000,
};

// A year with both turns of the clock, two trips, late Fridays, overlapping rows, three weeks of power off.
describe.each([
  { layout: 'current', startIndex: true, growingIds: true, secondDevice: false, days: 365 },
  { layout: 'current', startIndex: false, growingIds: true, secondDevice: true, days: 60 },
  { layout: 'earlier', startIndex: false, growingIds: false, secondDevice: false, days: 40 },
  { layout: 'current', startIndex: true, growingIds: true, secondDevice: true, days: 10, profile: 'heavy' },
] as const)('$days days of layout $layout, index $startIndex, growing ids $growingIds', (variant) => {
  const folder = makeFolder();
  const last = parseWallTime('2026-11-20') ?? 0;
  const first = last - (variant.days - 1) * DAY;
  let expected: Map<string, number>;

  beforeAll(async () => {
    await writeDataFolder({ folder, profile: 'light', until: '2026-11-20', seed: 3, ...variant });
    expected = secondsByDay(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('each day of the narrative has the seconds that a brute count finds, and its segments add up to them', async () => {
    const database = openActivityDatabase(async () => folder);
    const found = await database.read((snapshot) => {
      const days = new Map<string, number>();
      for (let day = first; day <= last + DAY; day += DAY) {
        const told = tellNarrative(snapshot, { from: day, to: day + DAY }, rules, everything);
        if (told.totalSeconds > 0) days.set(formatDate(day), told.totalSeconds);
        expect(told.segments.reduce((sum, { seconds }) => sum + seconds, 0)).toBe(told.totalSeconds);
      }
      return days;
    });
    expect(expected.size).toBeGreaterThan(variant.days * 0.9);
    expect([...found]).toEqual([...expected].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });

  test('months of the period summary have the same days', async () => {
    const database = openActivityDatabase(async () => folder);
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

  test('the daily summary of each day answers the same, in minutes', async () => {
    await using called = openCalled(folder);
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
});
