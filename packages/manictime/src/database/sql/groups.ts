import type { Database, Statement } from 'better-sqlite3';
import type { Layout } from '../layout.ts';

export interface StoredGroup {
  readonly name: string | null;
  readonly key: string | null;
  readonly color: string | number | null;
  readonly groupType: string | null;
  readonly commonId: number | null;
}

export interface StoredCommonGroup {
  readonly commonId: number;
  readonly name: string | null;
  readonly key: string | null;
  readonly color: string | number | null;
}

/** The name of the key that groups of all timelines share; its column has two names in the wild. */
export function commonKey(layout: Layout, table: string): string | undefined {
  return layout.firstOf(table, 'CommonId', 'CommonGroupId');
}

export function groupById(
  database: Database,
  layout: Layout,
): Statement<[number, number], StoredGroup> | undefined {
  if (!layout.has('Ar_Group', 'ReportId', 'GroupId')) return undefined;
  const column = (name: string) => layout.column('Ar_Group', 'g', name);
  const common = commonKey(layout, 'Ar_Group');
  return database.prepare<[number, number], StoredGroup>(
    `SELECT ${column('Name')} AS name, ${column('Key')} AS key, ${column('Color')} AS color,
            ${column('GroupType')} AS groupType, ${common === undefined ? 'NULL' : `g.${common}`} AS commonId
       FROM Ar_Group g WHERE g.ReportId = ? AND g.GroupId = ?`,
  );
}

export function commonGroupById(
  database: Database,
  layout: Layout,
): Statement<[number], StoredCommonGroup> | undefined {
  const key = commonKey(layout, 'Ar_CommonGroup');
  if (key === undefined) return undefined;
  const column = (name: string) => layout.column('Ar_CommonGroup', 'c', name);
  return database.prepare<[number], StoredCommonGroup>(
    `SELECT c.${key} AS commonId, ${column('Name')} AS name, ${column('Key')} AS key, ${column('Color')} AS color
       FROM Ar_CommonGroup c WHERE c.${key} = ?`,
  );
}
