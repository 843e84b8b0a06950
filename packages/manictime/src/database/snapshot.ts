import { DAY, formatDate, startOfDay, type WallTime } from '@deskside/core/dates';
import {
  type Activity,
  localOf,
  type LocalRange,
  ofKind,
  type Timeline,
  touching,
} from './model/activity.ts';
import { parseStoredTime } from './model/time.ts';
import { lastStart, type StoredActivity, storedDays } from './activities.ts';
import { type GroupCatalog, groupCatalog } from './groups.ts';
import {
  type Damage,
  type Draft,
  endOf,
  judge,
  latestEnd,
  MAX_UTC_OFFSET_SECONDS,
  startOf,
} from './judgement.ts';
import type { Layout } from './layout.ts';
import { type TagCatalog, tagCatalog } from './tags.ts';
import { readTimelines } from './timelines.ts';

/**
 * Called again and again while rows are read, with the part that is done, from 0 to 1. It ends the read by throwing an
 * error.
 */
export type Checkpoint = (done: number) => void;

/** One consistent state of the database during one call. */
export class Snapshot {
  readonly layout: Layout;
  /** Differs after each commit: what is read is at least as new. Undefined if no day may be kept for later calls. */
  readonly version: string | undefined;
  /** UTC seconds. */
  readonly nowSeconds: number;
  readonly groups: GroupCatalog;
  readonly tags: TagCatalog;
  #timelines: readonly Timeline[] | undefined;
  #timeBase: TimeBase | undefined;
  /** Which of ManicTime's own totals were left out. */
  readonly impossibleTotals = new Set<string>();
  readonly #lastEnds = new Map<number, number | undefined>();
  readonly #checkpoint: Checkpoint;

  /** @param nowSeconds UTC seconds. Windows and states that end later cannot be */
  constructor(
    layout: Layout,
    checkpoint: Checkpoint = () => undefined,
    version?: string,
    nowSeconds = Number.POSITIVE_INFINITY,
  ) {
    this.version = version;
    this.nowSeconds = nowSeconds;
    this.#checkpoint = checkpoint;
    this.layout = layout;
    this.groups = groupCatalog(layout);
    this.tags = tagCatalog(layout);
  }

  /** Ordered by report id. A table is read when it is needed: a damaged one fails only those calls. */
  get timelines(): readonly Timeline[] {
    return (this.#timelines ??= readTimelines(this.layout));
  }

  /** What instants are counted in. */
  get timeBase(): TimeBase {
    return (this.#timeBase ??= timeBaseOf(this.layout));
  }

  /**
   * The activities of some timelines that overlap the days of a range, in batches of one day: of the day that they start
   * on, or of an earlier day. Batches are ordered by day. Activities are not clipped.
   */
  *batches(timelines: readonly Timeline[], range: LocalRange): Generator<ActivityBatch> {
    const ids = timelines.map(({ reportId }) => reportId);
    const read = activityReader(this, timelines);
    for (const [day, rows] of storedDays(this.layout, ids, range)) {
      this.#checkpoint(Math.max(0, day - range.from) / Math.max(range.to - range.from, DAY));
      const { activities, damage } = read(rows);
      yield { day, activities: touching(activities, range), damage };
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

  /** When the last known row of a timeline ended; undefined without rows. A row that cannot be is none. */
  lastEnd(timeline: Timeline): number | undefined {
    const { reportId } = timeline;
    if (!this.#lastEnds.has(reportId)) this.#lastEnds.set(reportId, this.#readLastEnd(timeline));
    return this.#lastEnds.get(reportId);
  }

  #readLastEnd(timeline: Timeline): number | undefined {
    const { reportId } = timeline;
    const read = activityReader(this, [timeline]);
    // A row of the future is none.
    let before = Number.isFinite(this.nowSeconds) ? formatDate(this.nowSeconds + DAY) : '~';
    for (;;) {
      const stored = lastStart(this.layout, reportId, before);
      const start = parseStoredTime(stored);
      if (stored === undefined || start === undefined) return undefined;
      const day = startOfDay(start);
      const ofDay = storedDays(this.layout, [reportId], { from: day, to: day + DAY });
      const rows = [...ofDay].flatMap(([, rows]) => read(rows).activities);
      if (rows.some(({ localStart }) => localStart >= day)) return Math.max(...rows.map(({ end }) => end));
      before = stored.slice(0, 'YYYY-MM-DD'.length);
    }
  }
}

/** Activities that start on one day. */
export interface ActivityBatch {
  readonly day: WallTime;
  /** Sorted by start, then longest first. */
  readonly activities: readonly Activity[];
  /** What is wrong with the rows that start on this day. */
  readonly damage: Damage;
}

/** What instants are counted in: UTC, or local time if the database has no UTC times. */
export type TimeBase = 'utc' | 'local';

/** Some databases have no UTC columns, and some have empty ones. */
function timeBaseOf(layout: Layout): TimeBase {
  if (!layout.has('Ar_Activity', 'StartUtcTime', 'EndUtcTime')) return 'local';
  const first = 'SELECT StartUtcTime FROM Ar_Activity LIMIT 200';
  const counted = layout.database.prepare<[], number>(`SELECT count(StartUtcTime) FROM (${first})`);
  return (counted.pluck(true).get() ?? 0) === 0 ? 'local' : 'utc';
}

/**
 * A function that makes activities of the stored rows of one day after the other, sorted by start, then longest
 * first. A row without UTC times uses the UTC offset of the row before it.
 */
function activityReader({ groups, timeBase, nowSeconds }: Snapshot, timelines: readonly Timeline[]) {
  const byReport = new Map(timelines.map((timeline) => [timeline.reportId, timeline]));
  const latest = latestEnd(nowSeconds, timeBase);
  const isLocal = timeBase === 'local';
  let offset = isLocal ? 0 : undefined;

  function activityOf(
    row: StoredActivity,
    damage: Map<string, number>,
    nextStart: () => WallTime | undefined,
  ) {
    const timeline = byReport.get(row[0]);
    if (timeline === undefined) return [];
    const group = groups.group(row[0], row[6], row[8]);
    const draft: Draft = {
      kind: timeline.kind,
      localStart: row[2] ?? undefined,
      localEnd: row[3] ?? undefined,
      utcStart: isLocal ? undefined : (row[4] ?? undefined),
      utcEnd: isLocal ? undefined : (row[5] ?? undefined),
      offset: offset ?? 0,
      activityId: row[1],
      name: row[7] ?? undefined,
      hasDamagedGroup: group?.isDamaged === true,
      nextStart,
    };
    const isKept = judge(draft, latest, damage);
    const { localStart, localEnd, activityId, name } = draft;
    if (!isKept || localStart === undefined || localEnd === undefined) return [];
    if (draft.utcStart !== undefined) offset = localStart - draft.utcStart;
    return {
      start: startOf(draft),
      end: endOf(draft),
      localStart,
      localEnd,
      timeline,
      activityId: safeId(activityId),
      name: typeof name === 'string' ? name : undefined,
      groupId: safeId(row[6]),
      group,
      relatedId: safeId(row[9]),
      groupListId: safeId(row[10]),
    };
  }

  return (rows: readonly StoredActivity[]): Pick<ActivityBatch, 'activities' | 'damage'> => {
    offset ??= firstOffset(rows);
    const damage = new Map<string, number>();
    const activities = rows.flatMap((row) => activityOf(row, damage, () => nextStart(rows, row)));
    return { activities: activities.toSorted(byStart), damage };
  };
}

/** @param rows in order of their start */
function nextStart(
  rows: readonly StoredActivity[],
  [reportId, , start]: StoredActivity,
): WallTime | undefined {
  return rows.find((row) => row[0] === reportId && (row[2] ?? 0) > (start ?? 0))?.[2] ?? undefined;
}

function safeId(id: unknown): number | undefined {
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : undefined;
}

function firstOffset(rows: readonly StoredActivity[]): number {
  for (const [, , startLocal, , startUtc] of rows) {
    if (startLocal === null || startUtc === null) continue;
    if (Math.abs(startLocal - startUtc) <= MAX_UTC_OFFSET_SECONDS) return startLocal - startUtc;
  }
  return 0;
}

/** By start, then longest first. */
export function byStart(a: Activity, b: Activity): number {
  return (
    a.start - b.start ||
    b.end - a.end ||
    (a.activityId ?? 0) - (b.activityId ?? 0) ||
    a.timeline.reportId - b.timeline.reportId
  );
}
