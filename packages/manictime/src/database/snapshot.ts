import type { WallTime } from '@deskside/core/dates';
import type { Database } from 'better-sqlite3';
import { type Activity, kindOf, type LocalRange, type Timeline } from '../model/activity.ts';
import { parseStoredTime } from '../model/time.ts';
import {
  firstStoredActivities,
  hasActivityFrom,
  storedActivities,
  type StoredActivity,
  type TitleScope,
} from './activities.ts';
import { GroupCatalog } from './groups.ts';
import type { Layout } from './layout.ts';
import { attachedTags, listedTags } from './tags.ts';
import { allTimelines } from './timelines.ts';

/** One consistent state of the database during one call. */
export class Snapshot {
  readonly database: Database;
  readonly layout: Layout;
  readonly groups: GroupCatalog;
  /** Tags that are attached to an activity by its id; undefined if the database has no such tables. */
  readonly attachedTags: ReturnType<typeof attachedTags>;
  readonly listedTags: ReturnType<typeof listedTags>;
  #timelines: readonly Timeline[] | undefined;
  #clock: Clock | undefined;

  constructor(database: Database, layout: Layout) {
    this.database = database;
    this.layout = layout;
    this.groups = new GroupCatalog(database, layout);
    this.attachedTags = attachedTags(database, layout);
    this.listedTags = listedTags(database, layout);
  }

  /** Ordered by report id. */
  get timelines(): readonly Timeline[] {
    this.#timelines ??= allTimelines(this.database, this.layout).map(
      ({ reportId, schemaName, baseSchemaName, environmentId }) => ({
        reportId,
        schemaName,
        baseSchemaName: baseSchemaName ?? undefined,
        environment: environmentId === null ? undefined : String(environmentId),
        kind: kindOf(schemaName, baseSchemaName ?? undefined),
      }),
    );
    return this.#timelines;
  }

  /** The clock that instants are counted on. */
  get clock(): Clock {
    this.#clock ??= clockOf(this.database, this.layout);
    return this.#clock;
  }

  /** All activities of some timelines that overlap a range, sorted by start. They are not clipped. */
  activities(timelines: readonly Timeline[], range: LocalRange, titleScope: TitleScope = 'all'): Activity[] {
    const ids = timelines.map(({ reportId }) => reportId);
    const stored = storedActivities(this.database, this.layout, ids, range, titleScope);
    return activitiesOf(stored, timelines, this.groups, this.clock).filter(
      ({ localStart, localEnd }) => localStart < range.to && localEnd > range.from,
    );
  }

  /** Whether any of the timelines has an activity that starts at or after a time. */
  hasActivityFrom(timelines: readonly Timeline[], from: WallTime): boolean {
    return timelines.some(({ reportId }) => hasActivityFrom(this.database, reportId, from));
  }

  /** The first activities of one timeline that overlap a range, and how many overlap it. */
  firstActivities(timeline: Timeline, range: LocalRange, limit: number) {
    const { reportId } = timeline;
    const { total, rows } = firstStoredActivities(this.database, this.layout, reportId, range, limit);
    return { total, activities: activitiesOf(rows, [timeline], this.groups, this.clock) };
  }
}

/** The clock that instants are counted on: UTC, or local time if the database has no UTC times. */
export type Clock = 'utc' | 'local';

function clockOf(database: Database, layout: Layout): Clock {
  const columns = layout.has('Ar_Activity', 'StartUtcTime', 'EndUtcTime');
  return columns && hasUtcTimes(database) ? 'utc' : 'local';
}

/**
 * Activities of stored rows, sorted by start, then longest first. Rows with invalid times, or that end before
 * they start, are omitted. A row without UTC times uses the UTC offset of the row before it.
 */
function activitiesOf(
  rows: readonly StoredActivity[],
  timelines: readonly Timeline[],
  groups: GroupCatalog,
  clock: Clock,
): Activity[] {
  const byReport = new Map(timelines.map((timeline) => [timeline.reportId, timeline]));
  const activities: Activity[] = [];
  let offset = clock === 'local' ? 0 : firstOffset(rows);
  for (const row of rows) {
    const [reportId, activityId, startLocal, endLocal, startUtc, endUtc, groupId, name, commonId] = row;
    const timeline = byReport.get(reportId);
    const localStart = parseStoredTime(startLocal);
    const localEnd = parseStoredTime(endLocal);
    if (timeline === undefined || localStart === undefined || localEnd === undefined) continue;
    const utcStart = clock === 'local' ? undefined : parseStoredTime(startUtc);
    const utcEnd = clock === 'local' ? undefined : parseStoredTime(endUtc);
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

/** Whether activities have UTC times. Some databases have empty UTC columns. */
function hasUtcTimes(database: Database): boolean {
  const row = database
    .prepare<[], { readonly found: number }>(
      'SELECT count(StartUtcTime) AS found FROM (SELECT StartUtcTime FROM Ar_Activity LIMIT 200)',
    )
    .get();
  return row !== undefined && row.found > 0;
}
