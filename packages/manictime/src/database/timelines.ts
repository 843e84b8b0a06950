import { DAY, formatDate, type WallTime } from '@deskside/core/dates';
import type { DiagnosticNote } from '@deskside/core/errors';
import type { Database } from 'better-sqlite3';
import { lastStart } from './activities.ts';
import { type LocalRange, ofKind, type Timeline, type TimelineKind } from './model/activity.ts';
import { explained } from './model/notes.ts';
import { storedText } from './model/text.ts';
import { parseStoredTime } from './model/time.ts';
import type { Layout } from './layout.ts';

/** Each value can be of each type, but the id. */
interface StoredSummary extends Readonly<Record<'start' | 'end' | 'activeStart' | 'activeEnd', unknown>> {
  readonly reportId: number;
}

export function allTimelines(database: Database, layout: Layout) {
  const column = (name: string) => layout.column('Ar_Timeline', 't', name);
  const rows = database
    .prepare<
      [],
      Readonly<Record<'reportId' | 'schemaName' | 'baseSchemaName' | 'environmentId' | 'name', unknown>>
    >(
      `SELECT t.ReportId AS reportId, t.SchemaName AS schemaName,
              ${column('BaseSchemaName')} AS baseSchemaName, ${column('EnvironmentId')} AS environmentId,
              ${column('Name')} AS name
         FROM Ar_Timeline t ORDER BY t.ReportId`,
    )
    .all();
  return rows.flatMap(({ reportId, schemaName, baseSchemaName, environmentId, name }) =>
    typeof reportId !== 'number' || !Number.isSafeInteger(reportId)
      ? []
      : {
          reportId,
          schemaName: storedText(schemaName) ?? '',
          baseSchemaName: storedText(baseSchemaName),
          environmentId: storedText(environmentId),
          name: storedText(name),
        },
  );
}

/** ManicTime's own summary of each timeline; empty if the table is missing. */
function timelineSummaries(database: Database, layout: Layout): StoredSummary[] {
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

/** The same summary, computed from the activities. Without an index this reads every row. */
function spansOfActivities(database: Database): StoredSummary[] {
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

/** An open database. */
export interface OpenDatabase {
  readonly database: Database;
  readonly layout: Layout;
}

interface OpenTimelines extends OpenDatabase {
  readonly timelines: readonly Timeline[];
  /** UTC seconds. */
  readonly nowSeconds: number;
}

/** First and last time with data. */
export interface DataSpan {
  readonly start: WallTime | undefined;
  readonly end: WallTime | undefined;
}

/** The span of each timeline; `computed` from activities if ManicTime's own summary is missing. */
export function dataSpans(snapshot: OpenTimelines) {
  const summaries = timelineSummaries(snapshot.database, snapshot.layout);
  const computed = summaries.length === 0;
  const stored = computed ? spansOfActivities(snapshot.database) : summaries;
  // Calendars and planned tags have rows in the future.
  const planned = new Set(ofKind(snapshot.timelines, 'tags', 'other').map(({ reportId }) => reportId));
  return {
    computed,
    spans: stored.map(({ reportId, start, end, activeStart, activeEnd }) => {
      const isPlanned = planned.has(reportId);
      const latest = snapshot.nowSeconds + (isPlanned ? 366 : 1) * DAY;
      /** One damaged row can end in the year 9999: then the last start says until when there is data. */
      const bounded = (value: unknown) => {
        const time = parseStoredTime(value);
        if (time === undefined || time <= latest) return time;
        return parseStoredTime(lastStart(snapshot.database, reportId, isPlanned ? '~' : formatDate(latest)));
      };
      return {
        reportId,
        start: parseStoredTime(start),
        end: bounded(end),
        activeStart: parseStoredTime(activeStart),
        activeEnd: bounded(activeEnd),
      };
    }),
  };
}

/** The span of all timelines of a kind together. Default: of all timelines. */
export function dataSpan(snapshot: OpenTimelines, kind?: TimelineKind): DataSpan {
  const ids = new Set(ofKind(snapshot.timelines, kind ?? 'other').map(({ reportId }) => reportId));
  const all = dataSpans(snapshot).spans;
  const spans = kind === undefined ? all : all.filter(({ reportId }) => ids.has(reportId));
  const starts = spans.map(({ start }) => start).filter((time) => time !== undefined);
  const ends = spans.map(({ end }) => end).filter((time) => time !== undefined);
  return {
    start: starts.length === 0 ? undefined : Math.min(...starts),
    end: ends.length === 0 ? undefined : Math.max(...ends),
  };
}

/** The reason why a range is empty. */
export function emptyRangeNote(snapshot: OpenTimelines, { from, to }: LocalRange): DiagnosticNote {
  const { start, end } = dataSpan(snapshot);
  if (start === undefined || end === undefined) {
    return explained(
      'NoDataAtAll',
      'The database contains no activities yet. Check that ManicTime is running and tracking.',
    );
  }
  const known = `Data exists from ${formatDate(start)} to ${formatDate(end)}.`;
  if (to <= start) return explained('RangeBeforeFirstData', known);
  if (from >= end) return explained('RangeAfterLastData', known);
  return explained(
    'NoDataInRange',
    `${known} Nothing was tracked in this range: the computer was off or idle, or ManicTime was not running.`,
  );
}
