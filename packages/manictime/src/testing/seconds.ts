import { join } from 'node:path';
import Database from 'better-sqlite3';
import { DATABASE_NAME } from '../database/file.ts';

/**
 * Active seconds per local day by brute force: marks every second of every row. It shares no code with the code
 * under test, only the definition: in the foreground, active, counted once, on the local day.
 */
export function secondsByDay(folder: string): Map<string, number> {
  const database = new Database(join(folder, DATABASE_NAME), { readonly: true });
  const rows = (schema: string, more = '') =>
    database
      .prepare<[string], { start: number; end: number; localStart: number; localEnd: number }>(
        `SELECT unixepoch(a.StartUtcTime) AS start, unixepoch(a.EndUtcTime) AS end,
                unixepoch(a.StartLocalTime) AS localStart, unixepoch(a.EndLocalTime) AS localEnd
           FROM Ar_Activity a JOIN Ar_Timeline t USING (ReportId) ${more}
          WHERE t.SchemaName = ?`,
      )
      .all(schema);
  const whenActive =
    "JOIN Ar_Group g ON g.ReportId = a.ReportId AND g.GroupId = a.GroupId AND g.Name = 'Active'";
  const span = database
    .prepare<[], { first: number; last: number }>(
      'SELECT min(unixepoch(StartUtcTime)) AS first, max(unixepoch(EndUtcTime)) AS last FROM Ar_Activity',
    )
    .get() ?? { first: 0, last: 0 };
  const dayOf = new Int32Array(span.last - span.first).fill(-1);
  const active = new Uint8Array(dayOf.length);
  for (const { start, end } of rows('ManicTime/ComputerUsage', whenActive)) {
    active.fill(1, start - span.first, end - span.first);
  }
  // After the last known state nothing is known, so nothing is cut.
  const states = rows('ManicTime/ComputerUsage').map(({ end }) => end);
  if (states.length > 0) active.fill(1, Math.max(...states) - span.first);
  for (const { start, end, localStart, localEnd } of rows('ManicTime/Applications')) {
    for (let second = start; second < end; second += 1) {
      if (active[second - span.first] !== 1) continue;
      // If the clocks change during a row, the nearer end decides.
      const local = second - start < end - second ? localStart + second - start : localEnd - (end - second);
      dayOf[second - span.first] = Math.floor(local / 86_400);
    }
  }
  database.close();
  const counts = new Map<number, number>();
  for (const day of dayOf) if (day >= 0) counts.set(day, (counts.get(day) ?? 0) + 1);
  return new Map(
    Array.from(counts, ([day, seconds]) => [new Date(day * 86_400_000).toISOString().slice(0, 10), seconds]),
  );
}
