import { DAY, formatDate, parseWallTime, startOfDay, type WallTime } from '@deskside/core/dates';
import type { Database, Statement } from 'better-sqlite3';
import type { LocalRange } from './model/activity.ts';
import type { Layout } from './layout.ts';

/**
 * One stored row of `Ar_Activity`. Each value can be of each type. A tuple, because arrays cost half as much as
 * objects here.
 */
export type StoredActivity = readonly [
  reportId: number,
  activityId: unknown,
  startLocal: string,
  endLocal: unknown,
  startUtc: unknown,
  endUtc: unknown,
  groupId: unknown,
  name: unknown,
  commonId: unknown,
  relatedId: unknown,
  groupListId: unknown,
];

/** An index on the start time. */
interface StartIndex {
  readonly name: string;
  /** Whether the index starts with the timeline. */
  readonly byReport: boolean;
}

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
  if (index === undefined) {
    yield* byDay(rowsOverlapping(database, layout, reportIds, range, index).iterate());
    return;
  }
  const from = startOfDay(range.from);
  const before = rowsBefore(database, layout, index);
  const long = reportIds.flatMap((reportId) => before.all({ reportId, from: formatDate(from) }));
  yield* byDay(long.toSorted(([, , a], [, , b]) => (a < b ? -1 : Number(a > b))));
  // One call per day costs less than one per row.
  const rows = rowsOverlapping(database, layout, reportIds, range, index);
  for (let day = from; day < range.to; day += DAY) {
    const ofDay = rows.all({ from: formatDate(day), before: formatDate(day + DAY) });
    if (ofDay.length > 0) yield [day, ofDay];
  }
}

/** @param rows in order of their start */
function* byDay(rows: Iterable<StoredActivity>): Generator<StoredDay> {
  let date = '';
  let ofDay: StoredActivity[] = [];
  for (const row of rows) {
    const [, , startLocal] = row;
    if (date === '' || !startLocal.startsWith(date)) {
      if (ofDay.length > 0) yield [parseWallTime(date) ?? 0, ofDay];
      date = startLocal.slice(0, 10);
      ofDay = [];
    }
    ofDay.push(row);
  }
  if (ofDay.length > 0) yield [parseWallTime(date) ?? 0, ofDay];
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

function startIndex({ activityIndexes }: Layout): StartIndex | undefined {
  const ofReport = activityIndexes.find(
    ({ columns: [first, second] }) => first === 'reportid' && second === 'startlocaltime',
  );
  const index = ofReport ?? activityIndexes.find(({ columns: [first] }) => first === 'startlocaltime');
  if (index === undefined) return undefined;
  return { name: index.name, byReport: ofReport !== undefined };
}

type Values = Readonly<Record<string, unknown>>;

const HAS_START = "typeof(a.StartLocalTime) = 'text'";

function columns(layout: Layout): string {
  const of = (name: string) => layout.column('Ar_Activity', 'a', name);
  return `a.ReportId, a.ActivityId, a.StartLocalTime AS startLocal, a.EndLocalTime, ${of('StartUtcTime')}, ${of('EndUtcTime')},
          ${of('GroupId')}, ${of('Name')}, ${of('CommonGroupId')}, ${of('RelatedActivityId')}, ${of('GroupListId')}`;
}

/**
 * Compares days on bare columns, so that an index applies whatever character separates date and time. The caller parses
 * the times anyway and drops rows outside the range. With an index, the days `from` to `before` are read.
 */
function rowsOverlapping(
  database: Database,
  layout: Layout,
  reportIds: readonly number[],
  range: LocalRange,
  index: StartIndex | undefined,
): Statement<[Values?], StoredActivity> {
  const [firstDay, dayAfter] = [formatDate(range.from), formatDate(range.to)];
  const source = index === undefined ? 'NOT INDEXED' : `INDEXED BY ${quoted(index.name)}`;
  // A scan compares every row, so the comparison that drops most rows is the first one, and reads its columns once. `~` sorts
  // after every text of the same day.
  const selection = (reports: string) =>
    `SELECT ${columns(layout)} FROM Ar_Activity a ${source}
      WHERE ${
        index === undefined
          ? `max(a.EndLocalTime, a.StartLocalTime) >= '${firstDay}' AND ${reports} AND a.StartLocalTime < '${dayAfter}~'`
          : `${reports} AND a.StartLocalTime >= @from AND a.StartLocalTime < @before`
      } AND ${HAS_START}`;
  const ids = reportIds.map(Number);
  // The index already has the order of each timeline, so SQLite only merges them.
  const selections =
    index?.byReport === true
      ? ids.map((id) => selection(`a.ReportId = ${id}`))
      : [selection(`a.ReportId IN (${ids.join(', ')})`)];
  return database
    .prepare<[Values?], StoredActivity>(`${selections.join(' UNION ALL ')} ORDER BY startLocal`)
    .raw(true);
}

/** The rows of one timeline that start before a day and reach into it. */
function rowsBefore(
  database: Database,
  layout: Layout,
  { name }: StartIndex,
): Statement<[Values], StoredActivity> {
  return database
    .prepare<[Values], StoredActivity>(
      `SELECT ${columns(layout)} FROM
         (SELECT * FROM Ar_Activity a INDEXED BY ${quoted(name)}
           WHERE a.ReportId = @reportId AND a.StartLocalTime < @from AND ${HAS_START}
           ORDER BY a.StartLocalTime DESC LIMIT ${MAX_EARLIER_ROWS}) a
        WHERE a.EndLocalTime >= @from`,
    )
    .raw(true);
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
