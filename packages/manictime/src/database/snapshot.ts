import type { Database } from 'better-sqlite3';
import type { Activity, LocalRange } from '../timeline/activity.ts';
import { kindOf, type Timeline } from '../timeline/timelines.ts';
import { firstStoredActivities, storedActivities } from './activity-access.ts';
import { activitiesOf, type TimeAxis, timeAxis } from './activity-rows.ts';
import { GroupCatalog } from './group-catalog.ts';
import type { Layout } from './layout.ts';
import type { Titled } from './sql/activities.ts';
import { attachedTags, listedTags } from './sql/tags.ts';
import { allTimelines } from './sql/timelines.ts';

/** One consistent state of the database, for the time of one call. */
export class Snapshot {
  readonly database: Database;
  readonly layout: Layout;
  readonly groups: GroupCatalog;
  /** Tags that hang on an activity by its id; undefined where the database has no such tables. */
  readonly attachedTags: ReturnType<typeof attachedTags>;
  readonly listedTags: ReturnType<typeof listedTags>;
  #timelines: readonly Timeline[] | undefined;
  #axis: TimeAxis | undefined;

  constructor(database: Database, layout: Layout) {
    this.database = database;
    this.layout = layout;
    this.groups = new GroupCatalog(database, layout);
    this.attachedTags = attachedTags(database, layout);
    this.listedTags = listedTags(database, layout);
  }

  /** By report id. */
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

  /** Whether instants are UTC, or the local clock for want of it. */
  get axis(): TimeAxis {
    this.#axis ??= timeAxis(this.database, this.layout);
    return this.#axis;
  }

  /** Every activity of some timelines that overlaps a range, whole, sorted by instant. */
  activities(timelines: readonly Timeline[], range: LocalRange, titled: Titled = 'all'): Activity[] {
    const ids = timelines.map(({ reportId }) => reportId);
    const stored = storedActivities(this.database, this.layout, ids, range, titled);
    return activitiesOf(stored, timelines, this.groups, this.axis).filter(
      ({ localStart, localEnd }) => localStart < range.to && localEnd > range.from,
    );
  }

  /** The first activities of one timeline that overlap a range, and how many there are. */
  firstActivities(timeline: Timeline, range: LocalRange, limit: number) {
    const { reportId } = timeline;
    const { total, rows } = firstStoredActivities(this.database, this.layout, reportId, range, limit);
    return { total, activities: activitiesOf(rows, [timeline], this.groups, this.axis) };
  }
}
