import type { Database } from 'better-sqlite3';
import { formatDateTime, type WallTime } from '../../time/wall-clock.ts';
import type { LocalRange } from '../../timeline/activity.ts';
import type { Layout } from '../layout.ts';

/**
 * One row of `Ar_Activity` as it is stored. A tuple: arrays cost half of what objects do here, and there are
 * many.
 */
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

type Values = Readonly<Record<string, unknown>>;

/** Texts as they are stored, `yyyy-MM-dd HH:mm:ss`. */
export interface Window {
  readonly from: string;
  readonly to: string;
}

export function windowOf({ from, to }: LocalRange): Window {
  return { from: storedTime(from), to: storedTime(to) };
}

/** How the rows of a window are found. */
export type Access =
  | { readonly kind: 'start-index'; readonly index: string; readonly lookbackFrom: string }
  | { readonly kind: 'id-range'; readonly fromId: number; readonly toId: number }
  | { readonly kind: 'scan' };

/** Bounds by day on bare columns, which indexes serve whatever separates date and time. */
const NEAR = 'a.EndLocalTime > @firstDay AND a.StartLocalTime < @dayAfter';

/** Exact: some databases write `T` between date and time, the 19 characters compared have a space there. */
const exactly = (column: string) => `replace(substr(a.${column}, 1, 19), 'T', ' ')`;
const OVERLAPS = `${NEAR} AND ${exactly('StartLocalTime')} < @to AND ${exactly('EndLocalTime')} > @from`;

/**
 * Whose rows come with their titles and links: of all timelines, or of some. A sum needs neither, and texts
 * cost most of a read.
 */
export type Titled = 'all' | readonly number[];

function columns(layout: Layout, titled: Titled): string {
  const of = (name: string) => layout.column('Ar_Activity', 'a', name);
  const ofTitled = (name: string) =>
    titled === 'all'
      ? of(name)
      : `CASE WHEN a.ReportId IN (${titled.map(Number).join(', ')}) THEN ${of(name)} END`;
  const links = titled === 'all' ? `, ${of('RelatedActivityId')}, ${of('GroupListId')}` : '';
  return `a.ReportId, a.ActivityId, a.StartLocalTime, a.EndLocalTime, ${of('StartUtcTime')}, ${of('EndUtcTime')},
          ${of('GroupId')}, ${ofTitled('Name')}, ${ofTitled('CommonGroupId')}${links}`;
}

/**
 * The rows of some timelines that overlap the days of a window; what overlaps the window itself is told by the
 * caller, who reads the times anyway.
 */
export function overlapping(
  database: Database,
  layout: Layout,
  reportIds: readonly number[],
  window: Window,
  access: Access,
  titled: Titled,
): StoredActivity[] {
  const { source, bounds, values } = accessClause(access);
  const reports = reportIds.map(Number).join(', ');
  const ofReports = reportIds.length === 1 ? `a.ReportId = ${reports}` : `a.ReportId IN (${reports})`;
  const statement = database.prepare<[Values], StoredActivity>(
    `SELECT ${columns(layout, titled)} FROM Ar_Activity a ${source}
      WHERE ${bounds} ${NEAR} AND ${ofReports}`,
  );
  return statement.raw(true).all({ ...nearness(window), ...values });
}

function accessClause(access: Access) {
  switch (access.kind) {
    case 'start-index':
      return {
        source: `INDEXED BY ${quoted(access.index)}`,
        bounds: 'a.StartLocalTime >= @lookbackFrom AND',
        values: { lookbackFrom: access.lookbackFrom },
      };
    case 'id-range':
      return {
        source: '',
        bounds: 'a.ActivityId >= @fromId AND a.ActivityId < @toId AND',
        values: { fromId: access.fromId, toId: access.toId },
      };
    case 'scan':
      return { source: 'NOT INDEXED', bounds: '', values: {} };
  }
}

/** The last rows of one timeline before a point: among them are the long ones that reach into a window. */
export function reachingInto(
  database: Database,
  layout: Layout,
  reportId: number,
  access: Exclude<Access, { kind: 'scan' }>,
  most: number,
): StoredActivity[] {
  const byStart = access.kind === 'start-index';
  const source = byStart ? `INDEXED BY ${quoted(access.index)}` : '';
  const order = byStart ? 'a.StartLocalTime' : 'a.ActivityId';
  const statement = database.prepare<[Values], StoredActivity>(
    `SELECT ${columns(layout, 'all')} FROM Ar_Activity a ${source}
      WHERE a.ReportId = @reportId AND ${order} < @point ORDER BY ${order} DESC LIMIT @most`,
  );
  const point = byStart ? access.lookbackFrom : access.fromId;
  return statement.raw(true).all({ reportId, point, most });
}

/** How many rows of one timeline overlap a window, and the first of them by start. */
export function firstOverlapping(
  database: Database,
  layout: Layout,
  reportId: number,
  window: Window,
  access: Access,
  limit: number,
): { readonly total: number; readonly rows: StoredActivity[] } {
  const { source, bounds, values: bound } = accessClause(access);
  const where = `a.ReportId = @reportId AND ${bounds} ${OVERLAPS}`;
  const values = { ...window, ...nearness(window), ...bound, reportId };
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

/** A row by id, or the one after where there is none; undefined beyond the last. */
export type StartAt = (id: number) => { readonly id: number; readonly start: string } | undefined;

/** Prepared once: a search asks a hundred times. */
export function startsOf(database: Database, reportId: number): StartAt {
  const statement = database.prepare<[number, number], { readonly id: number; readonly start: string }>(
    `SELECT ActivityId AS id, StartLocalTime AS start FROM Ar_Activity
      WHERE ReportId = ? AND ActivityId >= ? ORDER BY ActivityId LIMIT 1`,
  );
  return (id) => statement.get(reportId, id);
}

export function lastId(database: Database, reportId: number): number | undefined {
  return database
    .prepare<[number], { readonly id: number }>(
      'SELECT ActivityId AS id FROM Ar_Activity WHERE ReportId = ? ORDER BY ActivityId DESC LIMIT 1',
    )
    .get(reportId)?.id;
}

function storedTime(time: WallTime): string {
  return formatDateTime(time).replace('T', ' ');
}

function nearness({ from, to }: Window) {
  return { firstDay: from.slice(0, 10), dayAfter: dayAfter(to) };
}

/** Greater than every text of the same day, whatever follows the date. */
function dayAfter(text: string): string {
  return `${text.slice(0, 10)}~`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
