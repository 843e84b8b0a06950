import { DAY, HOUR, type WallTime } from '@deskside/core/dates';
import type { Database } from 'better-sqlite3';
import {
  type Activity,
  kindOf,
  localOf,
  type LocalRange,
  ofKind,
  type Timeline,
  touches,
} from './model/activity.ts';
import { parseStoredTime } from './model/time.ts';
import { lastStart, type StoredActivity, storedDays } from './activities.ts';
import { readEnvironments } from './environments.ts';
import { GroupCatalog } from './groups.ts';
import type { Layout } from './layout.ts';
import { attachedTags, listedTags } from './tags.ts';
import { allTimelines } from './timelines.ts';

/**
 * Called again and again while rows are read, with the part that is done, from 0 to 1. It ends the read by throwing an
 * error.
 */
export type Checkpoint = (done: number) => void;

/** No local clock differs more from UTC. */
const MAX_UTC_OFFSET_SECONDS = 15 * HOUR;

/** Tells whether two calls read the same data. */
export interface DatabaseState {
  /** The same object in all calls of one open database. */
  readonly owner: object;
  /** What the call reads is at least as new. */
  readonly version: string;
}

/** One consistent state of the database during one call. */
export class Snapshot {
  readonly database: Database;
  readonly layout: Layout;
  /** Undefined if nothing may be prepared for later calls. */
  readonly state: DatabaseState | undefined;
  readonly groups: GroupCatalog;
  /** Tags that are attached to an activity by its id; undefined if the database has no such tables. */
  readonly attachedTags: ReturnType<typeof attachedTags>;
  readonly listedTags: ReturnType<typeof listedTags>;
  #timelines: readonly Timeline[] | undefined;
  #timeBase: TimeBase | undefined;
  readonly #lastStarts = new Map<number, WallTime | undefined>();
  readonly #checkpoint: Checkpoint;

  constructor(
    database: Database,
    layout: Layout,
    checkpoint: Checkpoint = () => undefined,
    state?: DatabaseState,
  ) {
    this.state = state;
    this.#checkpoint = checkpoint;
    this.database = database;
    this.layout = layout;
    this.groups = new GroupCatalog(database, layout);
    this.attachedTags = attachedTags(database, layout);
    this.listedTags = listedTags(database, layout);
  }

  /** Ordered by report id. */
  get timelines(): readonly Timeline[] {
    this.#timelines ??= this.#readTimelines();
    return this.#timelines;
  }

  #readTimelines(): Timeline[] {
    const devices = new Map(
      readEnvironments(this).map(({ environmentId, deviceName }) => [String(environmentId), deviceName]),
    );
    return allTimelines(this.database, this.layout).map(
      ({ reportId, schemaName, baseSchemaName, environmentId, name }) => ({
        reportId,
        schemaName,
        baseSchemaName: baseSchemaName ?? undefined,
        environment: environmentId === null ? undefined : String(environmentId),
        name: name ?? undefined,
        deviceName: devices.get(String(environmentId)),
        kind: kindOf(schemaName, baseSchemaName ?? undefined),
      }),
    );
  }

  /** What instants are counted in. */
  get timeBase(): TimeBase {
    this.#timeBase ??= timeBaseOf(this.database, this.layout);
    return this.#timeBase;
  }

  /**
   * The activities of some timelines that overlap the days of a range, in batches of one day: of the day that they start
   * on, or of an earlier day. Batches are ordered by day. Activities are not clipped.
   */
  *batches(timelines: readonly Timeline[], range: LocalRange): Generator<ActivityBatch> {
    const ids = timelines.map(({ reportId }) => reportId);
    const reader = new ActivityReader(timelines, this.groups, this.timeBase);
    for (const [day, rows] of storedDays(this.database, this.layout, ids, range)) {
      this.#checkpoint(Math.max(0, day - range.from) / Math.max(range.to - range.from, DAY));
      const activities = reader.read(rows).filter((activity) => touches(activity, range));
      yield { day, activities };
    }
  }

  /**
   * Local time of the tracked computer at an instant, by the row nearest to it; undefined if no row is near or rows have
   * local times only.
   */
  localTime(instant: number): WallTime | undefined {
    if (this.timeBase === 'local') return undefined;
    const tracked = ofKind(this.timelines, 'applications', 'documents', 'urls', 'usage');
    const range = { from: instant - MAX_UTC_OFFSET_SECONDS, to: instant + MAX_UTC_OFFSET_SECONDS };
    const rows = [...this.batches(tracked, range)].flatMap(({ activities }) => activities);
    const distance = ({ start, end }: Activity) => Math.max(start - instant, instant - end, 0);
    const [nearest] = rows.toSorted(
      (a, b) => distance(a) - distance(b) || a.end - a.start - (b.end - b.start),
    );
    return nearest === undefined ? undefined : localOf(nearest, instant);
  }

  /** Whether a timeline has an activity that starts at or after a time. */
  hasActivityFrom({ reportId }: Timeline, from: WallTime): boolean {
    if (!this.#lastStarts.has(reportId))
      this.#lastStarts.set(reportId, parseStoredTime(lastStart(this.database, reportId)));
    return (this.#lastStarts.get(reportId) ?? Number.NEGATIVE_INFINITY) >= from;
  }
}

/** Activities that start on one day. */
export interface ActivityBatch {
  readonly day: WallTime;
  /** Sorted by start, then longest first. */
  readonly activities: readonly Activity[];
}

/** What instants are counted in: UTC, or local time if the database has no UTC times. */
export type TimeBase = 'utc' | 'local';

function timeBaseOf(database: Database, layout: Layout): TimeBase {
  const columns = layout.has('Ar_Activity', 'StartUtcTime', 'EndUtcTime');
  return columns && hasUtcTimes(database) ? 'utc' : 'local';
}

/**
 * Makes activities of stored rows. Rows with invalid times, or that end before they start, are omitted. A row without UTC
 * times uses the UTC offset of the row before it.
 */
class ActivityReader {
  readonly #byReport: ReadonlyMap<number, Timeline>;
  readonly #groups: GroupCatalog;
  readonly #timeBase: TimeBase;
  #offset: number | undefined;

  constructor(timelines: readonly Timeline[], groups: GroupCatalog, timeBase: TimeBase) {
    this.#byReport = new Map(timelines.map((timeline) => [timeline.reportId, timeline]));
    this.#groups = groups;
    this.#timeBase = timeBase;
    if (timeBase === 'local') this.#offset = 0;
  }

  /** Sorted by start, then longest first. */
  read(rows: readonly StoredActivity[]): Activity[] {
    const isLocal = this.#timeBase === 'local';
    let offset = this.#offset ?? firstOffset(rows);
    const activities: Activity[] = [];
    for (const row of rows) {
      const reportId = row[0];
      const timeline = this.#byReport.get(reportId);
      const localStart = parseStoredTime(row[2]);
      const localEnd = parseStoredTime(row[3]);
      if (timeline === undefined || localStart === undefined || localEnd === undefined) continue;
      const utcStart = isLocal ? undefined : parseStoredTime(row[4]);
      const utcEnd = isLocal ? undefined : parseStoredTime(row[5]);
      if (utcStart !== undefined) {
        offset = localStart - utcStart;
        this.#offset = offset;
      }
      const start = utcStart ?? localStart - offset;
      const end = utcEnd ?? localEnd - offset;
      if (end < start) continue;
      activities.push({
        start,
        end,
        localStart,
        localEnd,
        timeline,
        activityId: row[1],
        name: row[7] ?? undefined,
        groupId: row[6] ?? undefined,
        group: this.#groups.group(reportId, row[6], row[8]),
        relatedId: row[9] ?? undefined,
        groupListId: row[10] ?? undefined,
      });
    }
    return activities.toSorted(byStart);
  }
}

function firstOffset(rows: readonly StoredActivity[]): number {
  for (const [, , startLocal, , startUtc] of rows) {
    const local = parseStoredTime(startLocal);
    const utc = parseStoredTime(startUtc);
    if (local !== undefined && utc !== undefined) return local - utc;
  }
  return 0;
}

/** By start, then longest first. */
export function byStart(a: Activity, b: Activity): number {
  return (
    a.start - b.start ||
    b.end - a.end ||
    a.activityId - b.activityId ||
    a.timeline.reportId - b.timeline.reportId
  );
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
