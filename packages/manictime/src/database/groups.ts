import { getOrAdd } from '@deskside/core/base';
import type { Database, Statement } from 'better-sqlite3';
import type { Group } from './model/activity.ts';
import type { Layout } from './layout.ts';

/** A group that all timelines share. The pre-aggregated tables refer to it. */
export interface CommonGroup {
  readonly commonId: number;
  readonly name: string | undefined;
  readonly color: string | undefined;
  readonly key: string | undefined;
}

/** Looks up each group once: a range has thousands of rows and hundreds of groups. */
export class GroupCatalog {
  readonly #groupById: ReturnType<typeof groupById>;
  readonly #commonById: ReturnType<typeof commonGroupById>;
  /** By report, group and shared group. */
  readonly #groups = new Map<number, Map<number | null, Map<number | null, Group | undefined>>>();
  readonly #common = new Map<number, CommonGroup>();

  constructor(database: Database, layout: Layout) {
    this.#groupById = groupById(database, layout);
    this.#commonById = commonGroupById(database, layout);
  }

  /** @param commonId shared group of the activity row itself, if the row names one */
  group(reportId: number, groupId: number | null, commonId: number | null): Group | undefined {
    if (groupId === null && commonId === null) return undefined;
    const ofReport =
      this.#groups.get(reportId) ?? new Map<number | null, Map<number | null, Group | undefined>>();
    this.#groups.set(reportId, ofReport);
    const ofGroup = ofReport.get(groupId) ?? new Map<number | null, Group | undefined>();
    ofReport.set(groupId, ofGroup);
    if (!ofGroup.has(commonId)) ofGroup.set(commonId, this.#find(reportId, groupId, commonId));
    return ofGroup.get(commonId);
  }

  common(commonId: number): CommonGroup {
    return getOrAdd(this.#common, commonId, () => {
      const stored = this.#commonById?.get(commonId);
      return {
        commonId,
        name: stored?.name ?? undefined,
        color: colorOf(stored?.color ?? null),
        key: stored?.key ?? undefined,
      };
    });
  }

  #find(reportId: number, groupId: number | null, ownCommonId: number | null): Group | undefined {
    const stored = groupId === null ? undefined : this.#groupById?.get(reportId, groupId);
    const commonId = stored?.commonId ?? ownCommonId;
    if (stored === undefined && commonId === null) return undefined;
    const common = commonId === null ? undefined : this.common(commonId);
    return {
      name: stored?.name ?? undefined,
      color: colorOf(stored?.color ?? null) ?? common?.color,
      key: stored?.key ?? undefined,
      type: stored?.groupType ?? undefined,
      commonId: commonId ?? undefined,
      commonName: common?.name,
      commonKey: common?.key,
      folder: stored?.folder ?? undefined,
    };
  }
}

interface StoredCommonGroup {
  readonly name: string | null;
  readonly key: string | null;
  readonly color: string | number | null;
}

interface StoredGroup extends StoredCommonGroup {
  readonly groupType: string | null;
  readonly commonId: number | null;
  readonly folder: string | null;
}

/** Name of the column with the id of the shared group. It depends on ManicTime's version. */
export function commonKey(layout: Layout, table: string): string | undefined {
  return layout.firstOf(table, 'CommonId', 'CommonGroupId');
}

function groupById(database: Database, layout: Layout): Statement<[number, number], StoredGroup> | undefined {
  if (!layout.has('Ar_Group', 'ReportId', 'GroupId')) return undefined;
  const column = (name: string) => layout.column('Ar_Group', 'g', name);
  const common = commonKey(layout, 'Ar_Group');
  const hasFolders = layout.has('Ar_Group', 'FolderId') && layout.has('Ar_Folder', 'FolderId', 'Name');
  return database.prepare<[number, number], StoredGroup>(
    `SELECT ${column('Name')} AS name, ${column('Key')} AS key, ${column('Color')} AS color,
            ${column('GroupType')} AS groupType, ${common === undefined ? 'NULL' : `g.${common}`} AS commonId,
            ${hasFolders ? '(SELECT f.Name FROM Ar_Folder f WHERE f.FolderId = g.FolderId)' : 'NULL'} AS folder
       FROM Ar_Group g WHERE g.ReportId = ? AND g.GroupId = ?`,
  );
}

function commonGroupById(
  database: Database,
  layout: Layout,
): Statement<[number], StoredCommonGroup> | undefined {
  const key = commonKey(layout, 'Ar_CommonGroup');
  if (key === undefined) return undefined;
  const column = (name: string) => layout.column('Ar_CommonGroup', 'c', name);
  return database.prepare<[number], StoredCommonGroup>(
    `SELECT ${column('Name')} AS name, ${column('Key')} AS key, ${column('Color')} AS color
       FROM Ar_CommonGroup c WHERE c.${key} = ?`,
  );
}

/**
 * Converts a stored color to `#RRGGBB`. Databases store hexadecimal digits with or without `#` and alpha, or an
 * ARGB integer; undefined for anything else.
 */
export function colorOf(stored: string | number | null): string | undefined {
  if (stored === null) return undefined;
  if (typeof stored === 'number') return `#${hex(stored)}`;
  const text = stored.trim();
  const digits = /^#?(?:[0-9a-f]{2})?([0-9a-f]{6})$/i.exec(text)?.[1];
  if (digits !== undefined) return `#${digits.toUpperCase()}`;
  return /^-?\d{1,10}$/.test(text) ? `#${hex(Number(text))}` : undefined;
}

function hex(argb: number): string {
  return (argb >>> 0).toString(16).padStart(8, '0').slice(-6).toUpperCase();
}
