import { join } from 'node:path';
import Database from 'better-sqlite3';
import { DATABASE_NAME } from '../database/file.ts';
import { offsetAt } from './generated-database.ts';
import { perQuarter, type PlannedRow } from './random-fixture.ts';

const KINDS: Readonly<Record<string, PlannedRow['kind']>> = {
  'ManicTime/Applications': 'application',
  'ManicTime/ComputerUsage': 'state',
  'ManicTime/Tags': 'tag',
};

/** The rows of generated data with UTC times, read without the code under test. */
export function storedRows(folder: string) {
  const database = new Database(join(folder, DATABASE_NAME), { readonly: true });
  const stored = database
    .prepare<[], Omit<PlannedRow, 'kind'> & { readonly schema: string; readonly type: string | null }>(
      `SELECT unixepoch(a.StartUtcTime) AS start, unixepoch(a.EndUtcTime) AS end, t.EnvironmentId AS device, a.ActivityId AS id,
              a.ReportId AS report, a.Name AS name, g.Name AS "group", t.SchemaName AS schema, g.GroupType AS type
         FROM Ar_Activity a JOIN Ar_Timeline t USING (ReportId) LEFT JOIN Ar_Group g USING (ReportId, GroupId)`,
    )
    .all();
  database.close();
  const rows = stored.map(({ schema, type, group, name, ...row }): PlannedRow => {
    const kind =
      KINDS[schema] ??
      (type === 'ManicTime/WebSites' ? 'site' : type === 'ManicTime/Files' ? 'file' : 'plugin');
    return Object.assign(row, { kind, group: group ?? undefined, name: name ?? undefined });
  });
  const local = perQuarter(offsetAt);
  return {
    rows,
    localOf: (_: number, instant: number) => local(instant),
    trackedDevices: new Set(rows.map(({ device }) => device)),
  };
}
