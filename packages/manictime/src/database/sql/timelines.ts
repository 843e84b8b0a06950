import type { Database } from 'better-sqlite3';
import type { Layout } from '../layout.ts';

export interface StoredTimeline {
  readonly reportId: number;
  readonly schemaName: string;
  readonly baseSchemaName: string | null;
  readonly environmentId: number | string | null;
}

export interface StoredSummary {
  readonly reportId: number;
  readonly start: string | null;
  readonly end: string | null;
  readonly activeStart: string | null;
  readonly activeEnd: string | null;
}

export function allTimelines(database: Database, layout: Layout): StoredTimeline[] {
  const column = (name: string) => layout.column('Ar_Timeline', 't', name);
  return database
    .prepare<[], StoredTimeline>(
      `SELECT t.ReportId AS reportId, coalesce(t.SchemaName, '') AS schemaName,
              ${column('BaseSchemaName')} AS baseSchemaName, ${column('EnvironmentId')} AS environmentId
         FROM Ar_Timeline t ORDER BY t.ReportId`,
    )
    .all();
}

/** What each timeline spans, as ManicTime keeps it; empty where there is no such table. */
export function timelineSummaries(database: Database, layout: Layout): StoredSummary[] {
  if (!layout.has('Ar_TimelineSummary', 'ReportId')) return [];
  const column = (name: string) => layout.column('Ar_TimelineSummary', 's', name);
  return database
    .prepare<[], StoredSummary>(
      `SELECT s.ReportId AS reportId, ${column('StartLocalTime')} AS start, ${column('EndLocalTime')} AS "end",
              ${column('ActiveStartLocalTime')} AS activeStart, ${column('ActiveEndLocalTime')} AS activeEnd
         FROM Ar_TimelineSummary s ORDER BY s.ReportId`,
    )
    .all();
}

/** The same from the activities themselves; reads every row where no index helps. */
export function spansOfActivities(database: Database): StoredSummary[] {
  return database
    .prepare<[], StoredSummary>(
      `SELECT t.ReportId AS reportId,
              (SELECT min(StartLocalTime) FROM Ar_Activity a WHERE a.ReportId = t.ReportId) AS start,
              (SELECT max(EndLocalTime) FROM Ar_Activity a WHERE a.ReportId = t.ReportId) AS "end",
              NULL AS activeStart, NULL AS activeEnd
         FROM Ar_Timeline t ORDER BY t.ReportId`,
    )
    .all();
}
