import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { DAY } from '@deskside/core/dates';
import { randomOf, randomSeeds, temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { openActivityDatabase } from '../database/database.ts';
import { DATABASE_NAME } from '../database/file.ts';
import { APPLICATIONS, TAGS, writeFixture } from '../testing/fixture.ts';
import { randomFixture } from '../testing/random-fixture.ts';
import { readDays } from './days.ts';
import { daysOf } from './kept-days.ts';
import { privacyRules } from './privacy.ts';

const CHANGES = 12;

/** Some rows of tags get a list of one or two of four tags. */
const LISTS = `
  INSERT INTO Ar_Group (ReportId, GroupId, Name) VALUES (${TAGS}, 901, 'One'), (${TAGS}, 902, 'Two'), (${TAGS}, 903, 'Three');
  INSERT INTO Ar_GroupListItem VALUES (${TAGS}, 1, 901), (${TAGS}, 2, 902), (${TAGS}, 2, 903);
  UPDATE Ar_Activity SET GroupListId = ActivityId % 3 WHERE ReportId = ${TAGS} AND ActivityId % 4 > 0;`;

/** One random change of the rows or names, and what it is. */
function change(file: Database.Database, random: (below: number) => number): string {
  const kind = ['late', 'deleted', 'renamed', 'moved', 'group'][random(5)] ?? 'late';
  const all = file.prepare<[], { rowid: number }>('SELECT rowid FROM Ar_Activity').all();
  const { rowid } = all[random(all.length)] ?? { rowid: 0 };
  const columns = file
    .prepare<[], string>("SELECT name FROM pragma_table_info('Ar_Activity') WHERE name <> 'ActivityId'")
    .pluck()
    .all()
    .join(', ');
  const sql = {
    late: `INSERT INTO Ar_Activity (ActivityId, ${columns}) SELECT 90000 + ActivityId + (SELECT max(ActivityId) FROM Ar_Activity), ${columns} FROM Ar_Activity WHERE rowid = ?`,
    deleted: 'DELETE FROM Ar_Activity WHERE rowid = ?',
    renamed: `UPDATE Ar_Activity SET Name = 'Renamed ${random(100)}' WHERE rowid = ?`,
    moved:
      "UPDATE Ar_Activity SET EndLocalTime = datetime(EndLocalTime, '+7 minutes'), EndUtcTime = datetime(EndUtcTime, '+7 minutes') WHERE rowid = ?",
    group: `UPDATE Ar_Group SET Name = 'Group ${random(100)}' WHERE rowid = (SELECT min(rowid) FROM Ar_Group WHERE rowid >= ?)`,
  }[kind];
  file.prepare(sql ?? '').run(rowid);
  return kind;
}

const RULES = {
  none: privacyRules({}),
  some: privacyRules({ exclude: ['title:*1'], redact: ['app:teams'] }),
};

test.each(randomSeeds(2, 80))(
  'kept days are never stale and equal days that are read (random database %i)',
  async (seed) => {
    const folder = temporaryFolder();
    const { fixture, firstDay, days } = randomFixture(seed);
    writeFixture(folder, { ...fixture, sql: LISTS });
    const random = randomOf(seed);
    const kept = openActivityDatabase(folder);
    const writer = new Database(join(folder, DATABASE_NAME));
    writer.pragma(`journal_mode = ${seed % 2 === 0 ? 'WAL' : 'DELETE'}`);
    const rules = seed % 3 === 0 ? RULES.some : RULES.none;
    let compared = 0;
    for (let count = 0; count < CHANGES; count += 1) {
      const changed = change(writer, random);
      const from = firstDay + random(days) * DAY - random(2) * 3600;
      const ranges = [
        { from: firstDay, to: firstDay + days * DAY },
        { from, to: from + DAY + random(3 * DAY) },
      ];
      const fresh = openActivityDatabase(folder);
      for (const range of [...ranges, ...ranges]) {
        const expected = await fresh.read((snapshot) => [...readDays({ snapshot, range, rules })]);
        const found = await kept.read((snapshot) => [...daysOf({ snapshot, range, rules })]);
        expect(found, changed).toEqual(expected);
        compared += expected.length;
      }
      fresh.close();
    }
    writer.close();
    kept.close();
    expect(compared).toBeGreaterThan(CHANGES);
  },
);

test.each([
  ['of a program that was killed', 'WAL', true],
  ['that no program has open', 'WAL', false],
  ['with a journal', 'DELETE', false],
])('a second question about 60,000 windows reads none of them: a database %s', async (_, journal, isLeft) => {
  const folder = temporaryFolder();
  const sql = `WITH RECURSIVE count(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM count WHERE n < 60000),
      rows(n, start) AS (SELECT n, unixepoch('2025-01-01') + n * 120 FROM count)
    INSERT INTO Ar_Activity (ReportId, ActivityId, Name, StartLocalTime, EndLocalTime)
      SELECT ${APPLICATIONS}, n, 'Window ' || n, datetime(start, 'unixepoch'), datetime(start + 100, 'unixepoch') FROM rows`;
  const writer = new Database(writeFixture(folder, { sql }));
  writer.pragma(`journal_mode = ${journal}`);
  writer.exec("UPDATE Ar_Activity SET Name = 'Renamed' WHERE ActivityId = 1");
  // As after a crash: the files are there, and nobody has them open. The first reader builds the index of the log again.
  const read = isLeft ? temporaryFolder() : folder;
  if (isLeft)
    for (const part of ['', '-wal', '-shm'])
      copyFileSync(join(folder, `${DATABASE_NAME}${part}`), join(read, `${DATABASE_NAME}${part}`));
  writer.close();
  const database = openActivityDatabase(read);
  const from = Date.UTC(2025, 0, 1) / 1000;
  let checkpoints = 0;
  const ask = async () => {
    checkpoints = 0;
    return database.read(
      (snapshot) =>
        Array.from(
          daysOf({ snapshot, range: { from, to: from + 90 * DAY }, rules: RULES.none }),
          ({ atoms }) => atoms.length,
        ),
      () => (checkpoints += 1),
    );
  };
  const first = await ask();
  expect(first.reduce((sum, atoms) => sum + atoms, 0)).toBe(60_000);
  expect(checkpoints).toBeGreaterThan(80);
  expect(await ask()).toEqual(first);
  expect(checkpoints).toBe(1);
  database.close();
});
