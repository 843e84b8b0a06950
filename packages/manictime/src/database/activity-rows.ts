import type { Database } from 'better-sqlite3';
import { parseStoredTime } from '../time/wall-clock.ts';
import type { Activity } from '../timeline/activity.ts';
import type { Timeline } from '../timeline/timelines.ts';
import type { GroupCatalog } from './group-catalog.ts';
import type { Layout } from './layout.ts';
import type { StoredActivity } from './sql/activities.ts';
import { hasUtcTimes } from './sql/utc-times.ts';

/** What instants are counted on. */
export type TimeAxis = 'utc' | 'local';

export function timeAxis(database: Database, layout: Layout): TimeAxis {
  const columns = layout.has('Ar_Activity', 'StartUtcTime', 'EndUtcTime');
  return columns && hasUtcTimes(database) ? 'utc' : 'local';
}

/**
 * Activities of stored rows, sorted by start, longer ones first. Rows with times that nobody can read, or that
 * end before they start, are left out. A row without UTC among others that have it takes the offset of the row
 * before.
 */
export function activitiesOf(
  rows: readonly StoredActivity[],
  timelines: readonly Timeline[],
  groups: GroupCatalog,
  axis: TimeAxis,
): Activity[] {
  const byReport = new Map(timelines.map((timeline) => [timeline.reportId, timeline]));
  const activities: Activity[] = [];
  let offset = axis === 'local' ? 0 : firstOffset(rows);
  for (const row of rows) {
    const [reportId, activityId, startLocal, endLocal, startUtc, endUtc, groupId, name, commonId] = row;
    const timeline = byReport.get(reportId);
    const localStart = parseStoredTime(startLocal);
    const localEnd = parseStoredTime(endLocal);
    if (timeline === undefined || localStart === undefined || localEnd === undefined) continue;
    const utcStart = axis === 'local' ? undefined : parseStoredTime(startUtc);
    const utcEnd = axis === 'local' ? undefined : parseStoredTime(endUtc);
    if (utcStart !== undefined) offset = localStart - utcStart;
    const start = utcStart ?? localStart - offset;
    const end = utcEnd ?? localEnd - offset;
    if (end < start) continue;
    activities.push({
      start,
      end,
      localStart,
      localEnd,
      timeline,
      activityId,
      name: name ?? undefined,
      groupId: groupId ?? undefined,
      group: groups.group(reportId, groupId, commonId),
      relatedId: row[9] ?? undefined,
      groupListId: row[10] ?? undefined,
    });
  }
  return activities.toSorted(byStart);
}

function firstOffset(rows: readonly StoredActivity[]): number {
  for (const [, , startLocal, , startUtc] of rows) {
    const local = parseStoredTime(startLocal);
    const utc = parseStoredTime(startUtc);
    if (local !== undefined && utc !== undefined) return local - utc;
  }
  return 0;
}

function byStart(a: Activity, b: Activity): number {
  return a.start - b.start || b.end - a.end || a.activityId - b.activityId;
}
