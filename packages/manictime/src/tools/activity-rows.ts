import { z } from 'zod';
import type { Activity } from '../timeline/activity.ts';
import { formatDateTime } from '../time/wall-clock.ts';
import { shownIf } from './shown.ts';

export const activityRow = z.object({
  activityId: z.int(),
  reportId: z.int(),
  startLocalTime: z.string(),
  endLocalTime: z.string(),
  name: z.string().optional(),
  groupId: z.int().optional(),
  groupName: z.string().optional(),
  groupColor: z.string().optional(),
  groupKey: z.string().optional(),
  commonGroupName: z.string().optional(),
  tags: z.array(z.string()).optional(),
});

export function activityAnswer(
  activity: Activity,
  includeGroupDetails: boolean,
  tags: readonly string[] = [],
) {
  const { activityId, timeline, localStart, localEnd, name, groupId, group } = activity;
  return {
    activityId,
    reportId: timeline.reportId,
    startLocalTime: formatDateTime(localStart),
    endLocalTime: formatDateTime(localEnd),
    name: shownIf(name),
    groupId,
    ...(includeGroupDetails
      ? {
          groupName: shownIf(group?.name),
          groupColor: group?.color,
          groupKey: shownIf(group?.key),
          commonGroupName: shownIf(group?.commonName),
        }
      : {}),
    ...(tags.length === 0 ? {} : { tags: tags.map((tag) => shownIf(tag) ?? '') }),
  };
}
