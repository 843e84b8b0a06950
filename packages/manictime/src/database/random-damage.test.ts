import { HOUR } from '@deskside/core/dates';
import { randomOf, randomSeeds, temporaryFolder } from '@deskside/testkit';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import type { Records } from '../queries/records.ts';
import { TAGS, writeFixture } from '../testing/fixture.ts';
import { randomFixture } from '../testing/random-fixture.ts';
import { openTestManicTime, WHOLE_NARRATIVE } from '../testing/test-server.ts';
import type { LocalRange } from './model/activity.ts';

interface StoredRow {
  readonly rowid: number;
  readonly ReportId: number;
  readonly GroupId: number | null;
  readonly StartLocalTime: string;
}

type Damage = (row: StoredRow, rows: readonly StoredRow[]) => readonly [damaged: string, same: string];

const update =
  (damaged: string, same: string): Damage =>
  ({ rowid }) => [
    `UPDATE Ar_Activity SET ${damaged} WHERE rowid = ${rowid}`,
    `UPDATE Ar_Activity SET ${same} WHERE rowid = ${rowid}`,
  ];
const leftOut =
  (damaged: string): Damage =>
  ({ rowid }) => [
    `UPDATE Ar_Activity SET ${damaged} WHERE rowid = ${rowid}`,
    `DELETE FROM Ar_Activity WHERE rowid = ${rowid}`,
  ];

/** Ends of windows, pages and states are those of the next row of the day. */
const endless: Damage = (row, rows) => {
  const ends = "EndLocalTime = '9999-12-31 23:59:59', EndUtcTime = '9999-12-31 22:59:59'";
  const { ReportId, StartLocalTime } = row;
  const next = rows
    .filter((other) => other.ReportId === ReportId && other.StartLocalTime > StartLocalTime)
    .map((other) => other.StartLocalTime)
    .filter((start) => start.startsWith(StartLocalTime.slice(0, 10)))
    .toSorted()[0];
  const isPlanned = ReportId % 20 === TAGS || ReportId % 20 === 6;
  if (isPlanned || next === undefined) return leftOut(ends)(row, rows);
  return update(ends, `EndLocalTime = '${next}', EndUtcTime = NULL`)(row, rows);
};

/** Of a long row in another zone, the UTC end is so far from the local one that the local one counts. */
const reversed: Damage = ({ rowid }) => {
  const where = `WHERE rowid = ${rowid}`;
  const hours = "(julianday(EndLocalTime) - julianday(StartUtcTime, '-1 hours')) * 24";
  return [
    `UPDATE Ar_Activity SET EndUtcTime = datetime(StartUtcTime, '-1 hours') ${where}`,
    `UPDATE Ar_Activity SET EndUtcTime = NULL ${where} AND ${hours} > 15;
     DELETE FROM Ar_Activity ${where} AND EndUtcTime IS NOT NULL`,
  ];
};

/** What is done to a database, and to another one that must give the same answers. */
const DAMAGES: readonly Damage[] = [
  endless,
  leftOut("EndLocalTime = 'later'"),
  leftOut("EndLocalTime = x'00ff'"),
  reversed,
  update("Name = x'00ff'", 'Name = NULL'),
  update("StartUtcTime = '1970-01-01 00:00:00'", 'StartUtcTime = NULL'),
  update('EndUtcTime = 12345', 'EndUtcTime = NULL'),
  update("RelatedActivityId = 'none'", 'RelatedActivityId = NULL'),
  ({ ReportId, GroupId }) => {
    const where = `WHERE ReportId = ${ReportId} AND GroupId = ${GroupId ?? -1}`;
    return [`UPDATE Ar_Group SET Key = x'00ff' ${where}`, `UPDATE Ar_Group SET Key = NULL ${where}`];
  },
];

async function answersOf(records: Records, range: LocalRange, reports: readonly number[]) {
  const sum = { range, all: [], any: [], none: [], top: 1e6, topGiven: false, withStretches: true };
  const usages = (['applications', 'websites', 'documents'] as const).map((subject) =>
    records.query('usageByPeriod', { subject, range, grain: 'hour', limit: 1e6 }),
  );
  const rows = reports.map((timelineId) =>
    records.query('rows', { of: { timelineId }, range, limit: 1e6, showsGroups: true }),
  );
  const answers: object[] = await Promise.all([
    records.query('periodSummary', { range }),
    records.query('narrative', { range, options: WHOLE_NARRATIVE }),
    records.query('picture', { range }),
    records.query('tagTotals', { range }),
    records.query('stateTotals', { range }),
    records.query('search', { range, terms: { text: 'e' }, offset: 0, limit: 1e6 }),
    records.query('sumTime', { ...sum, groupBy: ['title', 'hour'] }),
    ...usages,
    ...rows.map(async (found) => (await found) ?? {}),
  ]);
  // What tells that a row is damaged differs.
  const told = new Set(['notes', 'emptyNotes', 'isDamaged']);
  return answers.map((answer): unknown =>
    JSON.parse(JSON.stringify(answer, (key, value: unknown) => (told.has(key) ? undefined : value))),
  );
}

describe.each(randomSeeds(10, 200))('a damaged database %i', (seed) => {
  test('gives the answers of one without its damaged rows', async () => {
    const random = randomOf(seed);
    const { fixture, firstDay, days, rows: planned, localOf } = randomFixture(seed);
    const [damaged, same] = [temporaryFolder(), temporaryFolder()];
    const files = [damaged, same].map((folder) => new Database(writeFixture(folder, fixture)));
    const rows =
      files[0]
        ?.prepare<[], StoredRow>('SELECT rowid, ReportId, GroupId, StartLocalTime FROM Ar_Activity')
        .all() ?? [];
    const all = [...rows];
    for (let count = 0; count < 12; count += 1) {
      const row = rows.splice(random(rows.length), 1)[0];
      const statements = row && DAMAGES[random(DAMAGES.length)]?.(row, all);
      for (const [index, statement] of (statements ?? []).entries()) files[index]?.exec(statement);
    }
    for (const file of files) file.close();
    await using server = openTestManicTime({ dataDir: damaged });
    await using reference = openTestManicTime({ dataDir: same });
    const timelines = await server.records.query('timelines', undefined);
    const reports = timelines.map(({ reportId }) => reportId);
    const range = { from: firstDay - 24 * HOUR, to: firstDay + (days + 1) * 24 * HOUR };
    const answers = await answersOf(server.records, range, reports);
    expect(answers).toEqual(await answersOf(reference.records, range, reports));
    const { days: found } = await server.records.query('periodSummary', { range });
    // A day lasts from its first midnight on any of the clocks to its last one.
    const offsets = planned.map(({ device, start }) => localOf(device, start) - start);
    const longestDay = 24 * HOUR + Math.max(...offsets) - Math.min(...offsets);
    for (const { seconds } of found) expect(seconds).toBeLessThanOrEqual(longestDay);
  });
});
