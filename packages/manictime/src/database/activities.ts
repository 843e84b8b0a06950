import { DAY, formatDate, formatDateTime, startOfDay, type WallTime } from '@deskside/core/dates';
import type { Database } from 'better-sqlite3';
import type { LocalRange } from '../model/activity.ts';
import { parseStoredTime } from '../model/time.ts';
import type { Layout } from './layout.ts';

/** One stored row of `Ar_Activity`. A tuple, because arrays cost half as much as objects here. */
export type StoredActivity = readonly [
  reportId: number,
  activityId: number,
  startLocal: string,
  endLocal: string,
  startUtc: string | null,
  endUtc: string | null,
  groupId: number | null,
  name: string | null,
  commonId: number | null,
  relatedId?: number | null,
  groupListId?: number | null,
];

/**
 * The timelines whose rows are read with titles and links. Totals need neither, and texts are the largest part
 * of a read. A row without a group always has its title.
 */
export type TitleScope = 'all' | readonly number[];

/** An index on the start time, and the first start that is read through it. */
interface StartIndex {
  readonly name: string;
  readonly lookbackFrom: string;
}

/** All rows that start this long before a range are read. Longer rows are searched among the rows before. */
const LOOKBACK_SECONDS = 2 * DAY;

/** How many rows of one timeline before the lookback are searched for long ones. */
const MAX_EARLIER_ROWS = 1000;

/**
 * The rows of some timelines that overlap a local range, and some rows near it, unordered. Uses the index on the
 * start time if the database has one; else reads the table once for all timelines. Ids are no help: rows are also
 * written late, so ids do not grow with time.
 */
export function storedActivities(
  database: Database,
  layout: Layout,
  reportIds: readonly number[],
  range: LocalRange,
  titleScope: TitleScope,
): StoredActivity[] {
  if (reportIds.length === 0) return [];
  const storedRange = storedRangeOf(range);
  const index = startIndex(layout, range);
  if (index === undefined)
    return rowsOverlapping(database, layout, reportIds, storedRange, undefined, titleScope);
  const found: StoredActivity[] = [];
  for (const reportId of reportIds) {
    // No spread: a year of rows exceeds the maximum number of arguments.
    for (const row of rowsBefore(database, layout, reportId, index)) found.push(row);
    for (const row of rowsOverlapping(database, layout, [reportId], storedRange, index, titleScope))
      found.push(row);
  }
  return found;
}

/** How many rows of one timeline overlap a range, and at least the first `limit` of them, unordered. */
export function firstStoredActivities(
  database: Database,
  layout: Layout,
  reportId: number,
  range: LocalRange,
  limit: number,
): { readonly total: number; readonly rows: readonly StoredActivity[] } {
  const index = startIndex(layout, range);
  const { total, rows } = firstRowsOverlapping(
    database,
    layout,
    reportId,
    storedRangeOf(range),
    index,
    limit,
  );
  if (index === undefined) return { total, rows };
  const long = rowsBefore(database, layout, reportId, index).filter((row) => overlaps(row, range));
  return { total: total + long.length, rows: [...long, ...rows] };
}

/** Whether a timeline has a row that starts at or after a time. */
export function hasActivityFrom(database: Database, reportId: number, from: WallTime): boolean {
  const found = database
    .prepare<[Values], { readonly found: number }>(
      `SELECT 1 AS found FROM Ar_Activity a
        WHERE a.ReportId = @reportId AND a.StartLocalTime >= @day AND ${normalizedTime('StartLocalTime')} >= @from
        LIMIT 1`,
    )
    .get({ reportId, day: formatDate(from), from: storedTime(from) });
  return found !== undefined;
}

function overlaps([, , start, end]: StoredActivity, { from, to }: LocalRange): boolean {
  const [localStart, localEnd] = [parseStoredTime(start), parseStoredTime(end)];
  return localStart !== undefined && localEnd !== undefined && localStart < to && localEnd > from;
}

function startIndex({ activityIndexes }: Layout, range: LocalRange): StartIndex | undefined {
  const named = activityIndexes.filter(({ name }) => name !== '');
  const byReport = named.find(
    ({ columns: [first, second] }) => first === 'reportid' && second === 'startlocaltime',
  );
  const index = byReport ?? named.find(({ columns: [first] }) => first === 'startlocaltime');
  if (index === undefined) return undefined;
  return { name: index.name, lookbackFrom: formatDate(startOfDay(range.from) - LOOKBACK_SECONDS) };
}

type Values = Readonly<Record<string, unknown>>;

/** A range in stored format, `yyyy-MM-dd HH:mm:ss`. */
interface StoredRange {
  readonly from: string;
  readonly to: string;
}

function storedRangeOf({ from, to }: LocalRange): StoredRange {
  return { from: storedTime(from), to: storedTime(to) };
}

/** Compares days on bare columns, so that an index applies whatever character separates date and time. */
const IN_DAYS = 'a.EndLocalTime > @firstDay AND a.StartLocalTime < @dayAfter';

/** Some databases store `T` between date and time; comparisons use a space. */
const normalizedTime = (column: string) => `replace(substr(a.${column}, 1, 19), 'T', ' ')`;
const OVERLAPS = `${IN_DAYS} AND ${normalizedTime('StartLocalTime')} < @to AND ${normalizedTime('EndLocalTime')} > @from`;

function columns(layout: Layout, titleScope: TitleScope): string {
  const of = (name: string) => layout.column('Ar_Activity', 'a', name);
  const ofTitled = (name: string) =>
    titleScope === 'all'
      ? of(name)
      : `CASE WHEN a.GroupId IS NULL OR a.ReportId IN (${titleScope.map(Number).join(', ')}) THEN ${of(name)} END`;
  const links = titleScope === 'all' ? `, ${of('RelatedActivityId')}, ${of('GroupListId')}` : '';
  return `a.ReportId, a.ActivityId, a.StartLocalTime, a.EndLocalTime, ${of('StartUtcTime')}, ${of('EndUtcTime')},
          ${of('GroupId')}, ${ofTitled('Name')}, ${of('CommonGroupId')}${links}`;
}

/**
 * The rows of some timelines that overlap the days of a range. The caller parses the times anyway and drops rows
 * outside the range.
 */
function rowsOverlapping(
  database: Database,
  layout: Layout,
  reportIds: readonly number[],
  storedRange: StoredRange,
  index: StartIndex | undefined,
  titleScope: TitleScope,
): StoredActivity[] {
  const { source, bounds, values } = accessClause(index);
  const reports = reportIds.map(Number).join(', ');
  const ofReports = reportIds.length === 1 ? `a.ReportId = ${reports}` : `a.ReportId IN (${reports})`;
  const statement = database.prepare<[Values], StoredActivity>(
    `SELECT ${columns(layout, titleScope)} FROM Ar_Activity a ${source}
      WHERE ${bounds} ${IN_DAYS} AND ${ofReports}`,
  );
  return statement.raw(true).all({ ...dayBounds(storedRange), ...values });
}

function accessClause(index: StartIndex | undefined) {
  if (index === undefined) return { source: 'NOT INDEXED', bounds: '', values: {} };
  return {
    source: `INDEXED BY ${quoted(index.name)}`,
    bounds: 'a.StartLocalTime >= @lookbackFrom AND',
    values: { lookbackFrom: index.lookbackFrom },
  };
}

/** The last rows of one timeline before the lookback. A long one of them can overlap the range. */
function rowsBefore(
  database: Database,
  layout: Layout,
  reportId: number,
  { name, lookbackFrom }: StartIndex,
): StoredActivity[] {
  const statement = database.prepare<[Values], StoredActivity>(
    `SELECT ${columns(layout, 'all')} FROM
       (SELECT * FROM Ar_Activity a INDEXED BY ${quoted(name)}
         WHERE a.ReportId = @reportId AND a.StartLocalTime < @lookbackFrom
         ORDER BY a.StartLocalTime DESC LIMIT ${MAX_EARLIER_ROWS}) a
      WHERE a.EndLocalTime >= @lookbackFrom`,
  );
  return statement.raw(true).all({ reportId, lookbackFrom });
}

/** How many rows of one timeline overlap a range, and the first `limit` of them by start. */
function firstRowsOverlapping(
  database: Database,
  layout: Layout,
  reportId: number,
  storedRange: StoredRange,
  index: StartIndex | undefined,
  limit: number,
): { readonly total: number; readonly rows: StoredActivity[] } {
  const { source, bounds, values: bound } = accessClause(index);
  const where = `a.ReportId = @reportId AND ${bounds} ${OVERLAPS}`;
  const values = { ...storedRange, ...dayBounds(storedRange), ...bound, reportId };
  const total = database
    .prepare<[Values], { readonly total: number }>(
      `SELECT count(*) AS total FROM Ar_Activity a ${source} WHERE ${where}`,
    )
    .get(values)?.total;
  const statement = database.prepare<[Values], StoredActivity>(
    `SELECT ${columns(layout, 'all')} FROM Ar_Activity a ${source} WHERE ${where}
      ORDER BY a.StartLocalTime, a.ActivityId LIMIT @limit`,
  );
  return { total: total ?? 0, rows: statement.raw(true).all({ ...values, limit }) };
}

function storedTime(time: WallTime): string {
  return formatDateTime(time).replace('T', ' ');
}

function dayBounds({ from, to }: StoredRange) {
  return { firstDay: from.slice(0, 10), dayAfter: dayAfter(to) };
}

/** Sorts after every text of the same day. */
function dayAfter(text: string): string {
  return `${text.slice(0, 10)}~`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
