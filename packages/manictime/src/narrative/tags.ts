import type { Snapshot } from '../database/snapshot.ts';
import type { Activity } from '../timeline/activity.ts';
import { ofKind } from '../timeline/timelines.ts';
import type { Segment } from './segments.ts';

type Attached = Snapshot['attachedTags'];

/** Whether the database knows of tags at all. */
export function hasTags({ attachedTags, timelines }: Snapshot): boolean {
  return attachedTags !== undefined || ofKind(timelines, 'tags').length > 0;
}

/** The tags a row of a Tags timeline stands for. */
export function tagNames(row: Activity, listed: Snapshot['listedTags']): string[] {
  const fromList =
    row.groupListId === undefined ? undefined : listed?.(row.timeline.reportId, row.groupListId);
  const names =
    fromList === undefined || fromList.length === 0
      ? (row.name ?? row.group?.name ?? '').split(',')
      : fromList;
  return names.map((name) => name.trim()).filter((name) => name !== '');
}

/**
 * The tags of each segment, sorted, without duplicates: those hung on its activities, and those of the Tags
 * timeline that overlap it.
 *
 * @param rows of the Tags timelines, sorted by start
 */
export function tagsOf(
  segments: readonly Segment[],
  rows: readonly (Activity & { readonly tags: readonly string[] })[],
  attached: Attached,
): string[][] {
  let next = 0;
  let near: (typeof rows)[number][] = [];
  return segments.map(({ start, end, activities }) => {
    for (let row = rows[next]; row !== undefined && row.start < end; row = rows[next]) {
      near.push(row);
      next += 1;
    }
    near = near.filter((row) => row.end > start);
    const names = new Set(near.flatMap(({ tags }) => tags));
    if (attached !== undefined) {
      for (const { timeline, activityId } of activities) {
        for (const name of attached(timeline.reportId, activityId)) names.add(name);
      }
    }
    return [...names].toSorted();
  });
}
