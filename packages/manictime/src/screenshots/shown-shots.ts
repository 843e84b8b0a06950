import type { TimeAxis } from '../database/activity-rows.ts';
import type { Interval } from '../time/intervals.ts';
import type { StoredShot } from './folder.ts';

/** Where a shot lies on the axis that activities are counted on. */
function placeOf(shot: StoredShot, axis: TimeAxis): number {
  return axis === 'utc' ? shot.instant : shot.local;
}

/**
 * Shots without those taken while something private was in front.
 *
 * @param hidden sorted, apart from each other
 */
export function withoutHidden(
  shots: readonly StoredShot[],
  hidden: readonly Interval[],
  axis: TimeAxis,
): StoredShot[] {
  if (hidden.length === 0) return [...shots];
  return shots.filter((shot) => {
    const at = placeOf(shot, axis);
    return !hidden.some(({ start, end }) => start <= at && at <= end);
  });
}

/**
 * For each interval the shot within it that is nearest to its middle.
 *
 * @param shots in order of their places; intervals in any order
 */
export function shotsWithin(
  intervals: readonly Interval[],
  shots: readonly StoredShot[],
  axis: TimeAxis,
): (StoredShot | undefined)[] {
  const places = shots.map((shot) => placeOf(shot, axis));
  return intervals.map(({ start, end }) => {
    const middle = (start + end) / 2;
    const after = firstFrom(places, middle);
    const near = [after - 1, after].filter((index) => {
      const place = places[index];
      return place !== undefined && place >= start && place < end;
    });
    const distance = (index: number) => Math.abs((places[index] ?? 0) - middle);
    const [nearest] = near.toSorted((a, b) => distance(a) - distance(b));
    return nearest === undefined ? undefined : shots[nearest];
  });
}

function firstFrom(places: readonly number[], place: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((places[middle] ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}
