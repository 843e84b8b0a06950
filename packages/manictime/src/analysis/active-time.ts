import { DAY, startOfDay, type WallTime } from '@deskside/core/dates';
import {
  type Activity,
  localOf,
  type LocalRange,
  type Piece,
  pieceIn,
  stateOf,
  touches,
} from '../database/model/activity.ts';
import { byStart } from '../database/snapshot.ts';
import { intersect, type Interval, union } from '../database/model/interval.ts';

/** Activities of a range; `usage` of the whole days of that range. */
export interface TrackedRows {
  /** What the rows cover. With several computers more than is asked for: their clocks can differ. */
  readonly span: LocalRange;
  readonly applications: readonly Activity[];
  readonly usage: readonly Activity[];
  /** Devices with a ComputerUsage timeline, whether or not it has rows in this range. */
  readonly trackedDevices: ReadonlySet<string>;
  /** When the last known computer state of a device, or of all, ended: nothing is known after that. */
  readonly statesEnd: (device: string | undefined) => number | undefined;
}

/**
 * The only definition of active time: application activity, clipped to the range and to the intervals in which
 * the computer was active. Each second counts once.
 *
 * A day without known computer states is not clipped, nor is the time after the last state: ManicTime writes a state
 * when it ends. Each device is clipped to its own states.
 *
 * @returns sorted and disjoint pieces
 */
export function activeTime(rows: TrackedRows, range: LocalRange): Piece[] {
  const { span, applications, usage, trackedDevices, statesEnd } = rows;
  const byDevice = Map.groupBy(applications, ({ timeline }) => timeline.environment);
  const pieces = [...byDevice].flatMap(([device, own]) => {
    const tracked = device !== undefined && trackedDevices.has(device);
    // A device without a ComputerUsage timeline is clipped to the states of all devices.
    const states = tracked ? usage.filter(({ timeline }) => timeline.environment === device) : usage;
    return clipToActive(piecesIn(own, span), states, () => statesEnd(tracked ? device : undefined), span);
  });
  return within(foreground(pieces.toSorted((a, b) => a.start - b.start)), span, range);
}

function within(pieces: Piece[], span: LocalRange, range: LocalRange): Piece[] {
  if (span.from === range.from && span.to === range.to) return pieces;
  return pieces
    .map((piece) => partIn(piece, range))
    .filter(({ start, end, activity }) => end > start && touches(activity, range));
}

/** The part of a piece that lies in a local range. It can be empty. */
function partIn({ activity, start, end }: Piece, range: LocalRange): Piece {
  const part = pieceIn(activity, range);
  return { activity, start: Math.max(start, part.start), end: Math.min(end, part.end) };
}

/** The parts of activities inside a range, sorted by start. */
export function piecesIn(activities: readonly Activity[], range: LocalRange): Piece[] {
  return activities
    .map((activity) => pieceIn(activity, range))
    .filter(({ start, end }) => end > start)
    .toSorted((a, b) => a.start - b.start);
}

/** Of a trip around half of the world. */
const MAX_CLOCK_CHANGE_SECONDS = 2 * DAY;

/**
 * Splits a piece at local hours or days. A year has half a million pieces, so parts are not objects.
 *
 * @param length seconds of a period: an hour or a day
 * @param each gets the start of each period and the part of the piece in it
 */
export function splitByPeriod(
  piece: Piece,
  length: number,
  each: (period: WallTime, start: number, end: number) => void,
): void {
  const { activity } = piece;
  const { localStart, localEnd } = activity;
  const start = Math.floor(localStart / length) * length;
  // If the clock was set back to before the start, the start decides.
  if (localEnd <= start + length) return each(start, piece.start, piece.end);
  // A row of any length costs no more than its piece. Local times are not in order if the clock changed.
  const margin = localEnd - localStart === activity.end - activity.start ? 0 : MAX_CLOCK_CHANGE_SECONDS;
  const from = Math.floor((localOf(activity, piece.start) - margin) / length) * length;
  const to = Math.min(localEnd, localOf(activity, piece.end) + margin);
  for (let period = Math.max(start, from); period <= to; period += length) {
    const { start, end } = partIn(piece, { from: period, to: period + length });
    if (end > start) each(period, start, end);
  }
}

function clipToActive(
  pieces: readonly Piece[],
  usage: readonly Activity[],
  statesEnd: () => number | undefined,
  span: LocalRange,
): Piece[] {
  const known = usage.filter((row) => stateOf(row) !== undefined);
  const tracked = trackedDays(known, span);
  const active: Interval[] = known.filter((row) => stateOf(row) === 'active');
  const reached = usage.reduce((last, { end }) => Math.max(last, end), Number.NEGATIVE_INFINITY);
  if (pieces.some(({ end }) => end > reached))
    active.push({ start: statesEnd() ?? Number.POSITIVE_INFINITY, end: Number.POSITIVE_INFINITY });
  for (const piece of pieces) {
    const { localStart, localEnd } = piece.activity;
    const first = startOfDay(localStart);
    if (tracked.has(first) && localEnd <= first + DAY) continue;
    splitByPeriod(piece, DAY, (day, start, end) => {
      if (!tracked.has(day)) active.push({ start, end });
    });
  }
  return intersect(pieces, union(active));
}

function trackedDays(states: readonly Activity[], { from, to }: LocalRange): Set<number> {
  const days = new Set<number>();
  for (const { localStart, localEnd } of states) {
    const end = Math.min(localEnd, to);
    for (let day = startOfDay(Math.max(localStart, from)); day < end; day += DAY) days.add(day);
  }
  return days;
}

/**
 * Assigns every second to one piece. If pieces overlap, the one whose row started last wins: the person switched to
 * that window. A return from away time or the start of a range is no switch.
 *
 * @param pieces sorted by start
 */
export function foreground(pieces: readonly Piece[]): Piece[] {
  const parts: Piece[] = [];
  /** Started pieces by the start of their rows; the last one is in the foreground. */
  const open: Piece[] = [];
  let reached = Number.NEGATIVE_INFINITY;

  function advance(to: number): void {
    for (let front = open.at(-1); front !== undefined && reached < to; front = open.at(-1)) {
      const end = Math.min(front.end, to);
      if (end > reached) {
        parts.push(reached === front.start && end === front.end ? front : { ...front, start: reached, end });
        reached = end;
      }
      if (front.end <= reached) open.pop();
    }
    reached = Math.max(reached, to);
  }

  for (const piece of pieces) {
    if (piece.end <= piece.start) continue;
    advance(piece.start);
    let place = open.length;
    for (let above = open[place - 1]; above !== undefined; above = open[place - 1]) {
      if (byStart(above.activity, piece.activity) <= 0) break;
      place -= 1;
    }
    if (place === open.length) open.push(piece);
    else open.splice(place, 0, piece);
  }
  advance(Number.POSITIVE_INFINITY);
  return parts;
}
