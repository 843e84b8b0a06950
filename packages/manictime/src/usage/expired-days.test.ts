import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeDataFolder } from '@deskside/manictime-data';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DATABASE_NAME } from '../database/database.ts';
import { type Called, openCalled } from '../testing/call.ts';
import { secondsByDay } from '../testing/seconds.ts';
import { makeFolder } from '../testing/temporary-folder.ts';
import { minutesOf } from '../time/minutes.ts';
import { DAY, HOUR } from '../time/wall-clock.ts';
import { daysWithout } from './expired-days.ts';

const folder = makeFolder();
const MONTH = { startDate: '2026-10-20', endDate: '2026-11-20' };
/** The first day of which activities are left; of the days before there are sums alone. */
const KEPT_FROM = '2026-11-05';
const expired = { degraded: true, reasonCode: 'ActivitiesExpired', remediationHint: expect.any(String) };
let server: Called;
let minutes: Map<string, number>;

beforeAll(async () => {
  await writeDataFolder({ folder, profile: 'light', days: 31, until: '2026-11-19', seed: 5 });
  minutes = new Map(Array.from(secondsByDay(folder), ([day, seconds]) => [day, minutesOf(seconds)]));
  const database = new Database(join(folder, DATABASE_NAME));
  database.exec(`DELETE FROM Ar_Activity WHERE StartLocalTime < '${KEPT_FROM}'`);
  database.close();
  server = openCalled(folder);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

interface PeriodDay {
  readonly date: string;
  readonly totalActiveMinutes: number;
  readonly topApp: string;
  readonly firstActivity?: string;
}

test('a month of which only a part is left has every day, and says which kind it rests on', async () => {
  const { days, diagnostics } = (await server.answer('get_period_summary', MONTH)) as {
    days: PeriodDay[];
    diagnostics: unknown;
  };
  expect(diagnostics).toEqual(expired);
  expect(new Map(days.map(({ date, totalActiveMinutes }) => [date, totalActiveMinutes]))).toEqual(minutes);
  for (const { date, firstActivity, topApp } of days) {
    expect(firstActivity !== undefined, date).toBe(date >= KEPT_FROM);
    expect(topApp.length).toBeGreaterThan(0);
  }
  const kept = { startDate: KEPT_FROM, endDate: '2026-11-20' };
  expect(await server.answer('get_period_summary', kept)).toMatchObject({ diagnostics: { degraded: false } });
});

test('narrative and daily summary of such a day have the same total, no segments, and say why', async () => {
  for (const [date, next] of [
    ['2026-10-27', '2026-10-28'],
    ['2026-11-03', '2026-11-04'],
  ] as const) {
    const told = { totalActiveMinutes: minutes.get(date), segments: [], diagnostics: expired };
    const narrative = await server.answer('get_activity_narrative', { startDate: date, endDate: next });
    expect(narrative).toMatchObject({ ...told, topApplications: [] });
    const daily = await server.answer('get_daily_summary', { date });
    expect(daily).toMatchObject({
      ...told,
      topApplications: expect.arrayContaining([expect.objectContaining({ name: expect.any(String) })]),
    });
  }
});

test('a range over the border counts both kinds', async () => {
  const range = { startDate: '2026-11-04', endDate: '2026-11-06' };
  const { totalActiveMinutes, segments, diagnostics } = (await server.answer(
    'get_activity_narrative',
    range,
  )) as { totalActiveMinutes: number; segments: { start: string }[]; diagnostics: unknown };
  expect(totalActiveMinutes).toBeCloseTo(
    (minutes.get('2026-11-04') ?? 0) + (minutes.get('2026-11-05') ?? 0),
    0,
  );
  expect(segments.every(({ start }) => start >= KEPT_FROM)).toBe(true);
  expect(diagnostics).toEqual(expired);
});

test('an hour of such a day is what the sums say of it; one after the data is just empty', async () => {
  const hours = { startDate: '2026-10-27T10:00:00', endDate: '2026-10-27T12:00:00' };
  const told = (await server.answer('get_activity_narrative', hours)) as { totalActiveMinutes: number };
  expect(told).toMatchObject({ diagnostics: expired });
  expect(told.totalActiveMinutes).toBeGreaterThan(0);
  expect(told.totalActiveMinutes).toBeLessThanOrEqual(120);
  const later = { startDate: '2026-11-25', endDate: '2026-11-26' };
  expect(await server.answer('get_activity_narrative', later)).toMatchObject({
    totalActiveMinutes: 0,
    diagnostics: { degraded: false, reasonCode: 'RangeAfterLastData' },
  });
});

test('a day is not without activities for a clock that was turned back over midnight in one', () => {
  const midnight = 20 * DAY;
  const range = { from: midnight - DAY, to: midnight + DAY };
  const turnedBack = { localStart: midnight + 600, localEnd: midnight - 7 * HOUR };
  expect(daysWithout([turnedBack], range)).toEqual(new Set());
  const untilMidnight = { localStart: midnight - HOUR, localEnd: midnight };
  expect(daysWithout([untilMidnight], range)).toEqual(new Set([midnight]));
});
