import { DAY, formatDate, startOfDay, type WallTime } from '@deskside/core/dates';
import type { Database } from 'better-sqlite3';
import type { LocalRange } from './model/activity.ts';
import type { Layout } from './layout.ts';

/**
 * One stored row of `Ar_Activity`. Times are seconds, null if they are no times; each other value can be of each type. A tuple,
 * because arrays cost half as much as objects here.
 */
export type StoredActivity = readonly [
  reportId: number,
  activityId: unknown,
  startLocal: WallTime | null,
  endLocal: WallTime | null,
  startUtc: number | null,
  endUtc: number | null,
  groupId: unknown,
  name: unknown,
  commonId: unknown,
  relatedId: unknown,
  groupListId: unknown,
];

/**
 * How many rows of one timeline before a range are searched for those that reach into it; a busy day has as many. A long row
 * before more than these is missed; no such database is known.
 */
const MAX_EARLIER_ROWS = 1000;

/** The stored rows that start on one day. */
export type StoredDay = readonly [day: WallTime, rows: readonly StoredActivity[]];

/**
 * The rows of some timelines that overlap the days of a local range, by the day that they start on: a year has more rows than
 * memory should hold. Uses the index on the start time if the database has one; else SQLite reads the table once and sorts. Ids
 * are no help: rows are also written late, so ids do not grow with time. Without an index a day takes 300 ms in five years of
 * rows, instead of 20 ms.
 */
export function* storedDays(
  database: Database,
  layout: Layout,
  reportIds: readonly number[],
  range: LocalRange,
): Generator<StoredDay> {
  if (reportIds.length === 0) return;
  const index = startIndex(layout);
  const source = `Ar_Activity a ${index === undefined ? 'NOT INDEXED' : `INDEXED BY "${index.replaceAll('"', '""')}"`}`;
  const reports = `a.ReportId IN (${reportIds.map(Number).join(', ')})`;
  const select = (where: string) =>
    database
      .prepare<[Readonly<Record<string, unknown>>], StoredActivity>(`SELECT ${columns(layout)} FROM ${where}`)
      .raw(true);
  // Days are compared on bare columns, so that an index applies whatever character separates date and time.
  if (index === undefined) {
    // The comparison that drops most rows is the first one, and reads its columns once. `~` sorts after every text of a day.
    const rows = select(`${source} WHERE max(a.EndLocalTime, a.StartLocalTime) >= @first AND ${reports}
      AND a.StartLocalTime < @after AND ${HAS_START} ORDER BY a.StartLocalTime`);
    yield* byDay(rows.iterate({ first: formatDate(range.from), after: `${formatDate(range.to)}~` }));
    return;
  }
  const from = startOfDay(range.from);
  const before = select(`(SELECT * FROM ${source} WHERE a.ReportId = @reportId AND a.StartLocalTime < @from
      AND ${HAS_START} ORDER BY a.StartLocalTime DESC LIMIT ${MAX_EARLIER_ROWS}) a WHERE a.EndLocalTime >= @from`);
  const long = reportIds.flatMap((reportId) => before.all({ reportId, from: formatDate(from) }));
  yield* byDay(long.toSorted(([, , a], [, , b]) => (a ?? 0) - (b ?? 0)));
  const rows = select(`${source} WHERE ${reports} AND a.StartLocalTime >= @from AND a.StartLocalTime < @before
    AND ${HAS_START} ORDER BY a.StartLocalTime`);
  // One call per day costs less than one per row.
  for (let day = from; day < range.to; day += DAY) {
    const ofDay = rows.all({ from: formatDate(day), before: formatDate(day + DAY) });
    if (ofDay.length > 0) yield [day, ofDay];
  }
}

/** @param rows in order of their start */
function* byDay(rows: Iterable<StoredActivity>): Generator<StoredDay> {
  let day = 0;
  let ofDay: StoredActivity[] = [];
  for (const row of rows) {
    const startDay = startOfDay(row[2] ?? day);
    if (startDay !== day) {
      if (ofDay.length > 0) yield [day, ofDay];
      day = startDay;
      ofDay = [];
    }
    ofDay.push(row);
  }
  if (ofDay.length > 0) yield [day, ofDay];
}

/** The last start of a row of a timeline before a time, as stored. @param before a date, as stored */
export function lastStart(database: Database, reportId: number, before: string): string | undefined {
  const row = database
    .prepare<[number, string], { readonly last: string | null }>(
      `SELECT max(StartLocalTime) AS last FROM Ar_Activity
        WHERE ReportId = ? AND typeof(StartLocalTime) = 'text' AND StartLocalTime < ?`,
    )
    .get(reportId, before);
  return row?.last ?? undefined;
}

/** The name of an index on the start time, best with the timeline before it. */
function startIndex({ activityIndexes }: Layout): string | undefined {
  const starts = (...columns: readonly string[]) =>
    activityIndexes.find((index) => columns.every((column, place) => index.columns[place] === column))?.name;
  return starts('reportid', 'startlocaltime') ?? starts('startlocaltime');
}

const HAS_START = "typeof(a.StartLocalTime) = 'text'";

function columns(layout: Layout): string {
  const of = (name: string) => layout.column('Ar_Activity', 'a', name);
  const times = ['StartLocalTime', 'EndLocalTime', 'StartUtcTime', 'EndUtcTime'].map(
    (name) => `unixepoch(${of(name)})`,
  );
  const more = ['GroupId', 'Name', 'CommonGroupId', 'RelatedActivityId', 'GroupListId'].map(of);
  return `a.ReportId, a.ActivityId, ${[...times, ...more].join(', ')}`;
}
