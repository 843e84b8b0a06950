/** Seconds. `start` is inclusive, `end` is exclusive. */
export interface Interval {
  readonly start: number;
  readonly end: number;
}

/** Adds to one of some sums. */
export function addTo<Key>(sums: Map<Key, number>, key: Key, amount: number): void {
  sums.set(key, (sums.get(key) ?? 0) + amount);
}

/** Merges intervals: sorted, disjoint, without empty ones. */
export function union(intervals: readonly Interval[]): Interval[] {
  const sorted = intervals.filter(({ start, end }) => end > start).toSorted((a, b) => a.start - b.start);
  const merged: Interval[] = [];
  for (const { start, end } of sorted) {
    const last = merged.at(-1);
    if (last === undefined || start > last.end) merged.push({ start, end });
    else if (end > last.end) merged[merged.length - 1] = { start: last.start, end };
  }
  return merged;
}

/** The place of the first item that passes a test. @param items those that pass come last */
export function firstPlace<Item>(items: readonly Item[], passes: (item: Item) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && passes(item)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The first interval that ends after a point. @param intervals sorted and disjoint */
export function intervalAfter(intervals: readonly Interval[], point: number): Interval | undefined {
  return intervals[firstPlace(intervals, ({ end }) => end > point)];
}

/** The interval with a point in it. @param intervals sorted and disjoint */
export function intervalAt(intervals: readonly Interval[], point: number): Interval | undefined {
  const found = intervalAfter(intervals, point);
  return found !== undefined && found.start <= point ? found : undefined;
}

/**
 * The parts of sorted items inside sorted, disjoint intervals, in order. One pass over both.
 *
 * @param items sorted by start; they may overlap each other
 */
export function intersect<Item extends Interval>(
  items: readonly Item[],
  intervals: readonly Interval[],
): Item[] {
  const parts: Item[] = [];
  let first = 0;
  for (const item of items) {
    while (first < intervals.length && (intervals[first]?.end ?? 0) <= item.start) first += 1;
    for (let index = first; index < intervals.length; index += 1) {
      const interval = intervals[index];
      if (interval === undefined || interval.start >= item.end) break;
      const start = Math.max(item.start, interval.start);
      const end = Math.min(item.end, interval.end);
      parts.push(start === item.start && end === item.end ? item : { ...item, start, end });
    }
  }
  return parts;
}
