import type { Interval } from '../time/intervals.ts';
import type { WallTime } from '../time/wall-clock.ts';
import type { Timeline } from './timelines.ts';

/** What an activity belongs to: an application, a site, a document, a state of the computer. */
export interface Group {
  readonly name: string | undefined;
  /** `#RRGGBB` */
  readonly color: string | undefined;
  readonly key: string | undefined;
  readonly type: string | undefined;
  readonly commonId: number | undefined;
  readonly commonName: string | undefined;
  readonly commonKey: string | undefined;
}

/**
 * One row of a timeline. `start` and `end` are instants in seconds: UTC where the database has it, so that
 * lengths are right when the clock is turned; else the local clock.
 */
export interface Activity extends Interval {
  readonly timeline: Timeline;
  readonly activityId: number;
  readonly localStart: WallTime;
  readonly localEnd: WallTime;
  readonly name: string | undefined;
  readonly groupId: number | undefined;
  readonly group: Group | undefined;
  /** The application row that a document or URL was seen in. */
  readonly relatedId: number | undefined;
  readonly groupListId: number | undefined;
}

/** A part of an activity. */
export interface Piece extends Interval {
  readonly activity: Activity;
}

/** A range on the local clock; `to` is exclusive. */
export interface LocalRange {
  readonly from: WallTime;
  readonly to: WallTime;
}

/** The name a person knows it by. */
export function labelOf({ group, name }: Activity): string | undefined {
  return group?.commonName ?? group?.name ?? name;
}

/** The local clock at an instant of an activity. Where the clock was turned within it, the nearer end tells. */
export function localOf(activity: Activity, instant: number): WallTime {
  const { start, end, localStart, localEnd } = activity;
  return instant - start <= end - instant ? localStart + (instant - start) : localEnd - (end - instant);
}

/** The instant at which an activity crosses a local time that lies within it. */
function instantOf(activity: Activity, local: WallTime): number {
  const { start, end, localStart, localEnd } = activity;
  const fromStart = local - localStart;
  const fromEnd = localEnd - local;
  const instant = fromStart <= fromEnd ? start + fromStart : end - fromEnd;
  return Math.min(Math.max(instant, start), end);
}

/** The part of an activity that lies in a local range. */
export function pieceIn(activity: Activity, { from, to }: LocalRange): Piece {
  const start = activity.localStart < from ? instantOf(activity, from) : activity.start;
  const end = activity.localEnd > to ? instantOf(activity, to) : activity.end;
  return { start, end: Math.max(start, end), activity };
}
