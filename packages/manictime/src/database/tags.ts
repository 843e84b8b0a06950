import { type Activity, ofKind, type Timeline } from './model/activity.ts';
import { colorOf } from './groups.ts';
import type { Layout } from './layout.ts';
import { storedText } from './model/text.ts';

export type TagCatalog = ReturnType<typeof tagCatalog>;

/** The tags of one database: of rows of Tags timelines, and those that are attached to windows. */
export function tagCatalog(layout: Layout) {
  const attached = attachedTags(layout);
  const listed = listedTags(layout);
  return {
    /** Whether the database has tags. */
    exist: (timelines: readonly Timeline[]) => attached !== undefined || ofKind(timelines, 'tags').length > 0,

    /** The tags of a row of a Tags timeline, or those that are attached to a window. */
    of({ timeline, activityId, groupListId, isRedacted, name, group }: Activity): readonly string[] {
      if (timeline.kind === 'tags') {
        const names = groupListId === undefined ? [] : (listed?.(timeline.reportId, groupListId) ?? []);
        return tagsIn(names.length === 0 ? (name ?? group?.name ?? '') : names.join(','));
      }
      if (timeline.kind !== 'applications' || isRedacted === true || activityId === undefined) return [];
      return attached?.(timeline.reportId, activityId) ?? [];
    },

    /** The color of each tag, if the Tags timelines have groups. */
    colors(timelines: readonly Timeline[]): Map<string, string | undefined> {
      const reports = ofKind(timelines, 'tags').map(({ reportId }) => reportId);
      if (reports.length === 0 || !layout.has('Ar_Group', 'ReportId')) return new Map();
      const groups = layout.select(
        'Ar_Group',
        ['Name', 'Color'],
        `WHERE ReportId IN (${reports.join(', ')})`,
      );
      return new Map(groups.all().map(({ Name, Color }) => [storedText(Name) ?? '', colorOf(Color)]));
    },
  };
}

type Lookup = (reportId: number, id: number) => readonly string[];

/** Looks up tags that are attached to activities by id; undefined if the database has no such tables. */
function attachedTags(layout: Layout): Lookup | undefined {
  if (!layout.has('Ar_ActivityTag', 'ActivityId', 'TagId') || !layout.has('Ar_Tag', 'TagId', 'Name'))
    return undefined;
  // Ids repeat between timelines; the table's ReportId, if it has one, tells them apart.
  const byReport = layout.has('Ar_ActivityTag', 'ReportId');
  const statement = layout.database
    .prepare<[number, number], string>(
      `SELECT t.Name FROM Ar_ActivityTag x JOIN Ar_Tag t ON t.TagId = x.TagId
        WHERE x.ActivityId = ? AND ${byReport ? 'x.ReportId = ?' : '? IS NOT NULL'}
          AND typeof(t.Name) = 'text'`,
    )
    .pluck(true);
  return (reportId, activityId) => statement.all(activityId, reportId);
}

/** Looks up the names in a tag list, for rows of a Tags timeline that refer to one. */
function listedTags(layout: Layout): Lookup | undefined {
  if (!layout.has('Ar_GroupListItem', 'ReportId', 'GroupListId', 'GroupId')) return undefined;
  if (!layout.has('Ar_Group', 'ReportId', 'GroupId', 'Name')) return undefined;
  const statement = layout.database
    .prepare<[number, number], string>(
      `SELECT g.Name FROM Ar_GroupListItem i JOIN Ar_Group g ON g.ReportId = i.ReportId AND g.GroupId = i.GroupId
        WHERE i.ReportId = ? AND i.GroupListId = ? AND typeof(g.Name) = 'text'`,
    )
    .pluck(true);
  return (reportId, groupListId) => statement.all(reportId, groupListId);
}

/** The tags in a text that separates them by commas. */
export function tagsIn(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
