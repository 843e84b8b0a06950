import { cutTo, type Interval, union } from '../time/intervals.ts';
import { DAY, startOfDay, type WallTime } from '../time/wall-clock.ts';
import { type Activity, type LocalRange, type Piece, pieceIn } from './activity.ts';
import { type ComputerState, stateOf } from './computer-states.ts';
import { foreground } from './foreground.ts';

/** Activities of a range: `usage` of its whole days. */
export interface TrackedRows {
  readonly applications: readonly Activity[];
  readonly usage: readonly Activity[];
  /** The devices whose states are tracked, in this range or not. */
  readonly trackedDevices: ReadonlySet<string>;
}

export interface ActiveTime {
  /** Sorted and apart from each other: their lengths add up to the active time. */
  readonly pieces: readonly Piece[];
  /** Whether something tracked the computer's states on some day, in words nobody here knows. */
  readonly unknownStates: boolean;
}

/**
 * The one definition of active time: application activity, cut to the intervals in which the computer was
 * active and to the range, each second counted once.
 *
 * A day for which the computer's states were not tracked, or in unknown words, is not cut. Several devices are
 * told apart: each is cut to its own states.
 */
export function activeTime(rows: TrackedRows, range: LocalRange): ActiveTime {
  const { applications, usage, trackedDevices } = rows;
  const pieces = [...byDevice(applications)].flatMap(([device, own]) => {
    const tracked = device !== undefined && trackedDevices.has(device);
    // A device without states of its own is cut to those of all.
    const states = tracked ? usage.filter(({ timeline }) => timeline.environment === device) : usage;
    return cutToActive(piecesIn(own, range), states);
  });
  return {
    pieces: foreground(pieces.toSorted((a, b) => a.start - b.start)),
    unknownStates: usage.some((row) => stateOf(row) === undefined),
  };
}

/** The parts of activities that lie in a range, sorted by start. */
export function piecesIn(activities: readonly Activity[], range: LocalRange): Piece[] {
  return activities
    .map((activity) => pieceIn(activity, range))
    .filter(({ start, end }) => end > start)
    .toSorted((a, b) => a.start - b.start);
}

/**
 * The parts of a piece in each local period, with the period's start.
 *
 * @param length seconds of a period: an hour or a day
 */
export function* byLocalPeriod(
  piece: Piece,
  length: number,
): Generator<readonly [start: WallTime, part: Piece]> {
  const { activity } = piece;
  const { localStart, localEnd } = activity;
  const first = Math.floor(Math.min(localStart, localEnd) / length) * length;
  if (localEnd >= localStart && localEnd <= first + length) {
    yield [first, piece];
    return;
  }
  for (let period = first; period <= Math.max(localStart, localEnd); period += length) {
    const within = pieceIn(activity, { from: period, to: period + length });
    const start = Math.max(piece.start, within.start);
    const end = Math.min(piece.end, within.end);
    if (end > start) yield [period, { start, end, activity }];
  }
}

function byDevice(activities: readonly Activity[]): Map<string | undefined, Activity[]> {
  const devices = new Map<string | undefined, Activity[]>();
  for (const activity of activities) {
    const { environment } = activity.timeline;
    const rows = devices.get(environment);
    if (rows === undefined) devices.set(environment, [activity]);
    else rows.push(activity);
  }
  return devices;
}

function cutToActive(pieces: readonly Piece[], usage: readonly Activity[]): Piece[] {
  const states = usage.map((row) => [row, stateOf(row)] as const);
  const tracked = trackedDays(states);
  const active: Interval[] = states.filter(([, state]) => state === 'active').map(([row]) => row);
  for (const piece of pieces) {
    const { localStart, localEnd } = piece.activity;
    const first = startOfDay(localStart);
    if (tracked.has(first) && localEnd >= localStart && localEnd <= first + DAY) continue;
    for (const [day, part] of byLocalPeriod(piece, DAY)) if (!tracked.has(day)) active.push(part);
  }
  return cutTo(pieces, union(active));
}

function trackedDays(states: readonly (readonly [Activity, ComputerState | undefined])[]): Set<number> {
  const days = new Set<number>();
  for (const [{ localStart, localEnd }, state] of states) {
    if (state === undefined) continue;
    for (let day = startOfDay(localStart); day < localEnd; day += DAY) days.add(day);
  }
  return days;
}
