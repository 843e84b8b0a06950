import type { Database } from 'better-sqlite3';

/** Whether activities have UTC times at all: some databases have the columns and nothing in them. */
export function hasUtcTimes(database: Database): boolean {
  const row = database
    .prepare<[], { readonly found: number }>(
      'SELECT count(StartUtcTime) AS found FROM (SELECT StartUtcTime FROM Ar_Activity LIMIT 200)',
    )
    .get();
  return row !== undefined && row.found > 0;
}
