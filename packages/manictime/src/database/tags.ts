import type { Database } from 'better-sqlite3';
import { type Activity, ofKind, type Timeline } from './model/activity.ts';
import { colorOf } from './groups.ts';
import type { Layout } from './layout.ts';

/** What a snapshot knows about tags. */
interface TagSources {
  readonly database: Database;
  readonly layout: Layout;
  readonly timelines: readonly Timeline[];
  readonly attachedTags: ReturnType<typeof attachedTags>;
  readonly listedTags: ReturnType<typeof listedTags>;
}

/** Looks up tags that are attached to activities by id; undefined if the database has no such tables. */
export function attachedTags(
  database: Database,
  layout: Layout,
): ((reportId: number, activityId: number) => readonly string[]) | undefined {
  if (!layout.has('Ar_ActivityTag', 'ActivityId', 'TagId') || !layout.has('Ar_Tag', 'TagId', 'Name'))
    return undefined;
  // Ids repeat between timelines; the table's ReportId, if it has one, tells them apart.
  const byReport = layout.has('Ar_ActivityTag', 'ReportId');
  const statement = database
    .prepare<[number, number], string>(
      `SELECT t.Name FROM Ar_ActivityTag x JOIN Ar_Tag t ON t.TagId = x.TagId
        WHERE x.ActivityId = ? AND ${byReport ? 'x.ReportId = ?' : '? IS NOT NULL'}
          AND typeof(t.Name) = 'text'`,
    )
    .pluck(true);
  return (reportId, activityId) => statement.all(activityId, reportId);
}

/** Looks up the names in a tag list, for rows of a Tags timeline that refer to one. */
export function listedTags(
  database: Database,
  layout: Layout,
): ((reportId: number, groupListId: number) => string[]) | undefined {
  if (!layout.has('Ar_GroupListItem', 'ReportId', 'GroupListId', 'GroupId')) return undefined;
  if (!layout.has('Ar_Group', 'ReportId', 'GroupId', 'Name')) return undefined;
  const statement = database
    .prepare<[number, number], string>(
      `SELECT g.Name FROM Ar_GroupListItem i JOIN Ar_Group g ON g.ReportId = i.ReportId AND g.GroupId = i.GroupId
        WHERE i.ReportId = ? AND i.GroupListId = ? AND typeof(g.Name) = 'text'`,
    )
    .pluck(true);
  return (reportId, groupListId) => statement.all(reportId, groupListId);
}

/** Whether the database has tags. */
export function hasTags({
  attachedTags,
  timelines,
}: Pick<TagSources, 'attachedTags' | 'timelines'>): boolean {
  return attachedTags !== undefined || ofKind(timelines, 'tags').length > 0;
}

/** The tags of a row of a Tags timeline, or those that are attached to a window. */
export function tagsOfRow(
  { attachedTags, listedTags }: Pick<TagSources, 'attachedTags' | 'listedTags'>,
  row: Activity,
): readonly string[] {
  const { timeline, activityId, groupListId, isRedacted } = row;
  if (timeline.kind === 'tags') {
    const listed = groupListId === undefined ? [] : (listedTags?.(timeline.reportId, groupListId) ?? []);
    return tagsIn(listed.length === 0 ? (row.name ?? row.group?.name ?? '') : listed.join(','));
  }
  if (timeline.kind !== 'applications' || isRedacted === true) return [];
  return activityId === undefined ? [] : (attachedTags?.(timeline.reportId, activityId) ?? []);
}

/** The tags in a text that separates them by commas. */
export function tagsIn(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** The color of each tag, if the Tags timelines have groups. */
export function tagColors({
  database,
  layout,
  timelines,
}: Pick<TagSources, 'database' | 'layout' | 'timelines'>): Map<string, string | undefined> {
  const reports = ofKind(timelines, 'tags').map(({ reportId }) => reportId);
  if (reports.length === 0 || !layout.has('Ar_Group', 'ReportId', 'Name', 'Color')) return new Map();
  const rows = database
    .prepare<[], readonly [name: string, color: unknown]>(
      `SELECT Name, Color FROM Ar_Group
        WHERE ReportId IN (${reports.map(Number).join(', ')}) AND typeof(Name) = 'text'`,
    )
    .raw(true)
    .all();
  return new Map(rows.map(([name, color]) => [name, colorOf(color)]));
}
