import { getOrAdd } from '@deskside/core/base';
import type { Database, Statement } from 'better-sqlite3';
import type { Group } from './model/activity.ts';
import type { Layout } from './layout.ts';
import { storedText } from './model/text.ts';

/** A group that all timelines share. The pre-aggregated tables refer to it. */
export interface CommonGroup {
  readonly name: string | undefined;
  readonly color: string | undefined;
  readonly key: string | undefined;
  readonly isDamaged: boolean;
}

/** Looks up each group once: a range has thousands of rows and hundreds of groups. */
export class GroupCatalog {
  readonly #groupById: ReturnType<typeof groupById>;
  readonly #commonById: ReturnType<typeof commonGroupById>;
  /** By shared group and group, of each report. */
  readonly #groups = new Map<number, Map<unknown, Group | undefined>>();
  readonly #common = new Map<unknown, CommonGroup>();

  constructor(database: Database, layout: Layout) {
    this.#groupById = groupById(database, layout);
    this.#commonById = commonGroupById(database, layout);
  }

  /** @param commonId shared group of the activity row itself, if the row names one */
  group(reportId: number, groupId: unknown, commonId: unknown): Group | undefined {
    if (groupId === null && commonId === null) return undefined;
    const ofReport = getOrAdd(this.#groups, reportId, () => new Map<unknown, Group | undefined>());
    // Nearly all rows name none of the two, or the same.
    const id = groupId === commonId ? groupId : `${String(groupId)}/${String(commonId)}`;
    if (!ofReport.has(id)) ofReport.set(id, this.#find(reportId, groupId, commonId));
    return ofReport.get(id);
  }

  common(commonId: unknown): CommonGroup {
    return getOrAdd(this.#common, commonId, () => {
      const stored = this.#commonById?.get(commonId);
      return {
        name: storedText(stored?.name),
        color: colorOf(stored?.color),
        key: storedText(stored?.key),
        isDamaged: hasDamage(stored?.name, stored?.key),
      };
    });
  }

  #find(reportId: number, groupId: unknown, ownCommonId: unknown): Group | undefined {
    const stored = groupId === null ? undefined : this.#groupById?.get(reportId, groupId);
    const commonId = stored?.commonId ?? ownCommonId;
    if (stored === undefined && commonId === null) return undefined;
    const common = commonId === null ? undefined : this.common(commonId);
    return {
      name: storedText(stored?.name),
      color: colorOf(stored?.color) ?? common?.color,
      key: storedText(stored?.key),
      type: storedText(stored?.groupType),
      commonId: commonId === null ? undefined : storedText(commonId),
      commonName: common?.name,
      commonKey: common?.key,
      folder: storedText(stored?.folder),
      isDamaged:
        common?.isDamaged === true || hasDamage(stored?.name, stored?.key, stored?.groupType, stored?.folder),
    };
  }
}

function hasDamage(...values: readonly unknown[]): boolean {
  return values.some((value) => value !== undefined && value !== null && storedText(value) === undefined);
}

/** Each value can be of each type. */
type StoredCommonGroup = Readonly<Record<'name' | 'key' | 'color', unknown>>;

type StoredGroup = StoredCommonGroup & Readonly<Record<'groupType' | 'commonId' | 'folder', unknown>>;

/** Name of the column with the id of the shared group. It depends on ManicTime's version. */
export function commonIdColumn(layout: Layout, table: string): string | undefined {
  return layout.firstOf(table, 'CommonId', 'CommonGroupId');
}

function groupById(
  database: Database,
  layout: Layout,
): Statement<[number, unknown], StoredGroup> | undefined {
  if (!layout.has('Ar_Group', 'ReportId', 'GroupId')) return undefined;
  const column = (name: string) => layout.column('Ar_Group', 'g', name);
  const common = commonIdColumn(layout, 'Ar_Group');
  const hasFolders = layout.has('Ar_Group', 'FolderId') && layout.has('Ar_Folder', 'FolderId', 'Name');
  return database.prepare<[number, unknown], StoredGroup>(
    `SELECT ${column('Name')} AS name, ${column('Key')} AS key, ${column('Color')} AS color,
            ${column('GroupType')} AS groupType, ${common === undefined ? 'NULL' : `g.${common}`} AS commonId,
            ${hasFolders ? '(SELECT f.Name FROM Ar_Folder f WHERE f.FolderId = g.FolderId)' : 'NULL'} AS folder
       FROM Ar_Group g WHERE g.ReportId = ? AND g.GroupId = ?`,
  );
}

function commonGroupById(
  database: Database,
  layout: Layout,
): Statement<[unknown], StoredCommonGroup> | undefined {
  const key = commonIdColumn(layout, 'Ar_CommonGroup');
  if (key === undefined) return undefined;
  const column = (name: string) => layout.column('Ar_CommonGroup', 'c', name);
  return database.prepare<[unknown], StoredCommonGroup>(
    `SELECT ${column('Name')} AS name, ${column('Key')} AS key, ${column('Color')} AS color
       FROM Ar_CommonGroup c WHERE c.${key} = ?`,
  );
}

/**
 * Converts a stored color to `#RRGGBB`. Databases store hexadecimal digits with or without `#` and alpha, or an
 * ARGB integer; undefined for anything else.
 */
export function colorOf(stored: unknown): string | undefined {
  if (typeof stored === 'number') return `#${hex(stored)}`;
  if (typeof stored !== 'string') return undefined;
  const text = stored.trim();
  const digits = /^#?(?:[0-9a-f]{2})?([0-9a-f]{6})$/i.exec(text)?.[1];
  if (digits !== undefined) return `#${digits.toUpperCase()}`;
  return /^-?\d{1,10}$/.test(text) ? `#${hex(Number(text))}` : undefined;
}

function hex(argb: number): string {
  return (argb >>> 0).toString(16).padStart(8, '0').slice(-6).toUpperCase();
}
