import type { Database } from 'better-sqlite3';
import { DAY, formatDate, parseStoredTime, startOfDay, type WallTime } from '../time/wall-clock.ts';
import type { LocalRange } from '../timeline/activity.ts';
import type { Layout } from './layout.ts';
import {
  type Access,
  firstOverlapping,
  type Titled,
  lastId,
  overlapping,
  reachingInto,
  startsOf,
  type StartAt,
  type StoredActivity,
  windowOf,
} from './sql/activities.ts';

/** Seconds before a range from which on rows are read; what is longer is looked for among the last rows before. */
const LOOKBACK = 2 * DAY;
/** How many rows before the lookback are looked at. Rows of one timeline hardly ever overlap: one would do. */
const LONG_ROWS = 16;
/** Rows looked at to see whether ids grow with time. */
const SAMPLES = 48;

/**
 * The rows of some timelines that overlap a local range, in no order, and some near it. There is no index to
 * rely on: the start time's is used where there is one; else ids that grow with time serve as one, by binary
 * search; else the table is read once for all timelines.
 */
export function storedActivities(
  database: Database,
  layout: Layout,
  reportIds: readonly number[],
  range: LocalRange,
  titled: Titled,
): StoredActivity[] {
  if (reportIds.length === 0) return [];
  const window = windowOf(range);
  const found: StoredActivity[] = [];
  const scanned: number[] = [];
  for (const reportId of reportIds) {
    const access = accessTo(database, layout, reportId, range);
    if (access === 'nothing') continue;
    if (access.kind === 'scan') {
      scanned.push(reportId);
      continue;
    }
    found.push(...reachingInto(database, layout, reportId, access, LONG_ROWS));
    // Not spread: a year of rows is more than a call takes arguments.
    for (const row of overlapping(database, layout, [reportId], window, access, titled)) found.push(row);
  }
  if (scanned.length === 0) return found;
  const rest = overlapping(database, layout, scanned, window, { kind: 'scan' }, titled);
  return found.length === 0 ? rest : [...found, ...rest];
}

/** How many rows of one timeline overlap a range, and the first of them: at least the limit, in no order. */
export function firstStoredActivities(
  database: Database,
  layout: Layout,
  reportId: number,
  range: LocalRange,
  limit: number,
): { readonly total: number; readonly rows: readonly StoredActivity[] } {
  const access = accessTo(database, layout, reportId, range);
  if (access === 'nothing') return { total: 0, rows: [] };
  const { total, rows } = firstOverlapping(database, layout, reportId, windowOf(range), access, limit);
  if (access.kind === 'scan') return { total, rows };
  const long = reachingInto(database, layout, reportId, access, LONG_ROWS).filter((row) =>
    overlaps(row, range),
  );
  return { total: total + long.length, rows: [...long, ...rows] };
}

function overlaps([, , start, end]: StoredActivity, { from, to }: LocalRange): boolean {
  const [localStart, localEnd] = [parseStoredTime(start), parseStoredTime(end)];
  return localStart !== undefined && localEnd !== undefined && localStart < to && localEnd > from;
}

function accessTo(
  database: Database,
  layout: Layout,
  reportId: number,
  range: LocalRange,
): Access | 'nothing' {
  const lookback = startOfDay(range.from) - LOOKBACK;
  const index = startIndex(layout);
  return index === undefined
    ? idRange(database, layout, reportId, lookback, range.to)
    : startAccess(index, lookback);
}

function startIndex({ activityIndexes }: Layout): string | undefined {
  const named = activityIndexes.filter(({ name }) => name !== '');
  const byReport = named.find(
    ({ columns: [first, second] }) => first === 'reportid' && second === 'startlocaltime',
  );
  return (byReport ?? named.find(({ columns: [first] }) => first === 'startlocaltime'))?.name;
}

function startAccess(index: string, lookback: WallTime): Access {
  return { kind: 'start-index', index, lookbackFrom: formatDate(lookback) };
}

function idRange(
  database: Database,
  { activityIndexes }: Layout,
  reportId: number,
  lookback: WallTime,
  to: WallTime,
): Access | 'nothing' {
  const searchable = activityIndexes.some(
    ({ columns: [first, second] }) =>
      (first === 'reportid' && second === 'activityid') || first === 'activityid',
  );
  if (!searchable) return { kind: 'scan' };
  const startAt = startsOf(database, reportId);
  const first = startAt(Number.MIN_SAFE_INTEGER)?.id;
  const last = lastId(database, reportId);
  if (first === undefined || last === undefined) return 'nothing';
  if (!growsWithTime(startAt, first, last)) return { kind: 'scan' };
  return {
    kind: 'id-range',
    fromId: firstIdFrom(startAt, first, last, lookback),
    // A day more on this side too: rows may have been written a little out of order.
    toId: firstIdFrom(startAt, first, last, to + DAY),
  };
}

function growsWithTime(startAt: StartAt, first: number, last: number): boolean {
  let latest = Number.NEGATIVE_INFINITY;
  for (let sample = 0; sample <= SAMPLES; sample += 1) {
    const row = startAt(first + Math.floor(((last - first) * sample) / SAMPLES));
    const start = parseStoredTime(row?.start);
    if (start === undefined || start < latest) return false;
    latest = start;
  }
  return true;
}

/** The smallest id whose row starts at a time or later; one more than the last where there is none. */
function firstIdFrom(startAt: StartAt, first: number, last: number, time: WallTime): number {
  let low = first;
  let high = last + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const start = parseStoredTime(startAt(middle)?.start);
    if (start === undefined || start < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
