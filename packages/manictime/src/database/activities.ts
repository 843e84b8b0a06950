import { DAY, formatDate, startOfDay, type WallTime } from '@deskside/core/dates';
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
  layout: Layout,
  reportIds: readonly number[],
  range: LocalRange,
): Generator<StoredDay> {
  if (reportIds.length === 0) return;
  const index = startIndex(layout);
  const source = `Ar_Activity ${index === undefined ? 'NOT INDEXED' : `INDEXED BY "${index.replaceAll('"', '""')}"`}`;
  const reports = `ReportId IN (${reportIds.map(Number).join(', ')})`;
  const select = (where: string) =>
    layout.database
      .prepare<[Readonly<Record<string, unknown>>], StoredActivity>(`SELECT ${columns(layout)} FROM ${where}`)
      .raw(true);
  // Days are compared on bare columns, so that an index applies whatever character separates date and time.
  if (index === undefined) {
    // The comparison that drops most rows is the first one, and reads its columns once. `~` sorts after every text of a day.
    const rows = select(`${source} WHERE max(EndLocalTime, StartLocalTime) >= @first AND ${reports}
      AND StartLocalTime < @after AND ${HAS_START} ORDER BY StartLocalTime`);
    yield* byDay(rows.iterate({ first: formatDate(range.from), after: `${formatDate(range.to)}~` }));
    return;
  }
  const from = startOfDay(range.from);
  const before = select(`(SELECT * FROM ${source} WHERE ReportId = @reportId AND StartLocalTime < @from
      AND ${HAS_START} ORDER BY StartLocalTime DESC LIMIT ${MAX_EARLIER_ROWS}) WHERE EndLocalTime >= @from`);
  const long = reportIds.flatMap((reportId) => before.all({ reportId, from: formatDate(from) }));
  yield* byDay(long.toSorted(([, , a], [, , b]) => (a ?? 0) - (b ?? 0)));
  const rows = select(`${source} WHERE ${reports} AND StartLocalTime >= @from AND StartLocalTime < @before
    AND ${HAS_START} ORDER BY StartLocalTime`);
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
export function lastStart({ database }: Layout, reportId: number, before: string): string | undefined {
  const last = database
    .prepare<[number, string], string | null>(
      `SELECT max(StartLocalTime) FROM Ar_Activity
        WHERE ReportId = ? AND typeof(StartLocalTime) = 'text' AND StartLocalTime < ?`,
    )
    .pluck(true)
    .get(reportId, before);
  return last ?? undefined;
}

/** The name of an index on the start time, best with the timeline before it. A partial one does not apply. */
function startIndex({ database }: Layout): string | undefined {
  const columns = `(SELECT group_concat(lower(coalesce(name, '')), ',' ORDER BY seqno) || ','
        FROM pragma_index_info(l.name))`;
  return database
    .prepare<[], string>(
      `SELECT l.name FROM pragma_index_list('Ar_Activity') l
        WHERE l.partial = 0 AND (${columns} LIKE 'reportid,startlocaltime,%' OR ${columns} LIKE 'startlocaltime,%')
        ORDER BY ${columns}`,
    )
    .pluck(true)
    .get();
}

const HAS_START = "typeof(StartLocalTime) = 'text'";

function columns(layout: Layout): string {
  const of = (name: string) => layout.column('Ar_Activity', name);
  const times = ['StartLocalTime', 'EndLocalTime', 'StartUtcTime', 'EndUtcTime'];
  const more = ['GroupId', 'Name', 'CommonGroupId', 'RelatedActivityId', 'GroupListId'];
  const seconds = times.map((name) => `unixepoch(${of(name)})`);
  return ['ReportId', 'ActivityId', ...seconds, ...more.map(of)].join(', ');
}
