import { join } from 'node:path';
import { writeDataFolder } from '@deskside/manictime-data';
import { temporaryFolder } from '@deskside/testkit';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openCalled } from '../testing/call.ts';
import { USAGE } from '../testing/fixture.ts';
import { DATABASE_NAME } from './database.ts';

/** Longer than what is read whole: the database counts and gives the first. */
const RANGE = { startDate: '2026-09-30', endDate: '2026-11-05' };

test.each([
  ['the start index', { startIndex: true, growingIds: true }],
  ['ids that grow with time', { startIndex: false, growingIds: true }],
  ['neither', { startIndex: false, growingIds: false }],
])('by %s the rows of a long range are all counted, one that began days before too', async (_, access) => {
  const folder = temporaryFolder();
  await writeDataFolder({ folder, profile: 'light', days: 60, until: '2026-11-20', seed: 2, ...access });
  const database = new Database(join(folder, DATABASE_NAME));
  // Off over a weekend: the row that reaches into the range is the last before what is looked back on.
  database.exec(`
    DELETE FROM Ar_Activity WHERE ReportId = ${USAGE} AND StartLocalTime BETWEEN '2026-09-26' AND '2026-09-30 07';
    UPDATE Ar_Activity SET EndLocalTime = '2026-09-30 07:00:00', EndUtcTime = '2026-09-30 05:00:00'
     WHERE ReportId = ${USAGE} AND StartLocalTime = (
       SELECT max(StartLocalTime) FROM Ar_Activity WHERE ReportId = ${USAGE} AND StartLocalTime < '2026-09-26')`);
  const expected = database
    .prepare<[number, string, string], number>(
      `SELECT ActivityId FROM Ar_Activity WHERE ReportId = ? AND StartLocalTime < ? AND EndLocalTime > ?
        ORDER BY StartLocalTime, ActivityId`,
    )
    .pluck()
    .all(USAGE, `${RANGE.endDate} 00:00:00`, `${RANGE.startDate} 00:00:00`);
  database.close();
  expect(expected.length).toBeGreaterThan(200);

  await using server = openCalled(folder);
  const rows = async (limit: number) => {
    const answer = await server.answer('get_activities', { timelineId: USAGE, ...RANGE, limit });
    const { activities, truncation } = answer as {
      activities: { activityId: number }[];
      truncation: { truncated: boolean; totalAvailable: number };
    };
    return { ids: activities.map(({ activityId }) => activityId), ...truncation };
  };
  expect(await rows(5000)).toMatchObject({
    ids: expected,
    truncated: false,
    totalAvailable: expected.length,
  });
  expect(await rows(3)).toMatchObject({
    ids: expected.slice(0, 3),
    truncated: true,
    totalAvailable: expected.length,
  });
});
