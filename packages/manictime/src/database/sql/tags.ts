import type { Database } from 'better-sqlite3';
import type { Layout } from '../layout.ts';

/** Tags that hang on activities by id, in the databases that have such tables. */
export function attachedTags(
  database: Database,
  layout: Layout,
): ((reportId: number, activityId: number) => string[]) | undefined {
  if (!layout.has('Ar_ActivityTag', 'ActivityId', 'TagId') || !layout.has('Ar_Tag', 'TagId', 'Name'))
    return undefined;
  // Ids repeat between timelines: where the table says which one is meant, it counts.
  const byReport = layout.has('Ar_ActivityTag', 'ReportId');
  const statement = database
    .prepare<[number, number], string>(
      `SELECT t.Name FROM Ar_ActivityTag x JOIN Ar_Tag t ON t.TagId = x.TagId
        WHERE x.ActivityId = ? AND ${byReport ? 'x.ReportId = ?' : '? IS NOT NULL'} AND t.Name IS NOT NULL`,
    )
    .pluck(true);
  return (reportId, activityId) => statement.all(activityId, reportId);
}

/** The names in a tag list, for the rows of a Tags timeline that do not spell them out. */
export function listedTags(
  database: Database,
  layout: Layout,
): ((reportId: number, groupListId: number) => string[]) | undefined {
  if (!layout.has('Ar_GroupListItem', 'ReportId', 'GroupListId', 'GroupId')) return undefined;
  if (!layout.has('Ar_Group', 'ReportId', 'GroupId', 'Name')) return undefined;
  const statement = database
    .prepare<[number, number], string>(
      `SELECT g.Name FROM Ar_GroupListItem i JOIN Ar_Group g ON g.ReportId = i.ReportId AND g.GroupId = i.GroupId
        WHERE i.ReportId = ? AND i.GroupListId = ? AND g.Name IS NOT NULL`,
    )
    .pluck(true);
  return (reportId, groupListId) => statement.all(reportId, groupListId);
}
