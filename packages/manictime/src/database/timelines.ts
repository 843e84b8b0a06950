import { DAY, formatDate, type WallTime } from '@deskside/core/dates';
import type { DiagnosticNote } from '@deskside/core/errors';
import { lastStart } from './activities.ts';
import { readEnvironments } from './environments.ts';
import { kindOf, type LocalRange, ofKind, type Timeline, type TimelineKind } from './model/activity.ts';
import { explained } from './model/notes.ts';
import { storedText } from './model/text.ts';
import { parseStoredTime } from './model/time.ts';
import type { Layout } from './layout.ts';

/** Ordered by report id. */
export function readTimelines(layout: Layout): Timeline[] {
  const devices = new Map(
    readEnvironments(layout).map(({ environmentId, deviceName }) => [String(environmentId), deviceName]),
  );
  const columns = ['ReportId', 'SchemaName', 'BaseSchemaName', 'EnvironmentId', 'Name'] as const;
  const rows = layout.select('Ar_Timeline', columns, 'ORDER BY ReportId').all();
  return rows.flatMap(({ ReportId: reportId, SchemaName, BaseSchemaName, EnvironmentId, Name }) => {
    if (typeof reportId !== 'number' || !Number.isSafeInteger(reportId)) return [];
    const schemaName = storedText(SchemaName) ?? '';
    const baseSchemaName = storedText(BaseSchemaName);
    const environment = storedText(EnvironmentId);
    return {
      reportId,
      schemaName,
      baseSchemaName,
      environment,
      name: storedText(Name),
      deviceName: devices.get(String(environment)),
      kind: kindOf(schemaName, baseSchemaName),
    };
  });
}

const SPAN = ['StartLocalTime', 'EndLocalTime', 'ActiveStartLocalTime', 'ActiveEndLocalTime'] as const;

/** ManicTime's own summary of each timeline; empty if the table is missing. */
function timelineSummaries(layout: Layout) {
  if (!layout.has('Ar_TimelineSummary', 'ReportId')) return [];
  return layout.select('Ar_TimelineSummary', ['ReportId', ...SPAN], 'ORDER BY ReportId').all();
}

/** The same summary, computed from the activities. Without an index this reads every row. */
function spansOfActivities({ database }: Layout): ReturnType<typeof timelineSummaries> {
  return database
    .prepare<[], ReturnType<typeof timelineSummaries>[number]>(
      `SELECT t.ReportId AS ReportId,
              (SELECT min(StartLocalTime) FROM Ar_Activity a WHERE a.ReportId = t.ReportId) AS StartLocalTime,
              (SELECT max(EndLocalTime) FROM Ar_Activity a WHERE a.ReportId = t.ReportId) AS EndLocalTime
         FROM Ar_Timeline t ORDER BY t.ReportId`,
    )
    .all();
}

interface OpenTimelines {
  readonly layout: Layout;
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
export function dataSpans({ layout, timelines, nowSeconds }: OpenTimelines) {
  const summaries = timelineSummaries(layout);
  const computed = summaries.length === 0;
  const stored = computed ? spansOfActivities(layout) : summaries;
  // Calendars and planned tags have rows in the future.
  const planned = new Set(ofKind(timelines, 'tags', 'other').map(({ reportId }) => reportId));
  return {
    computed,
    spans: stored.map((row) => {
      const reportId = Number(row.ReportId);
      const isPlanned = planned.has(reportId);
      const latest = nowSeconds + (isPlanned ? 366 : 1) * DAY;
      /** One damaged row can end in the year 9999: then the last start says until when there is data. */
      const bounded = (value: unknown) => {
        const time = parseStoredTime(value);
        if (time === undefined || time <= latest) return time;
        return parseStoredTime(lastStart(layout, reportId, isPlanned ? '~' : formatDate(latest)));
      };
      return {
        reportId,
        start: parseStoredTime(row.StartLocalTime),
        end: bounded(row.EndLocalTime),
        activeStart: parseStoredTime(row.ActiveStartLocalTime),
        activeEnd: bounded(row.ActiveEndLocalTime),
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
