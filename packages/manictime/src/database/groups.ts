import { getOrAdd } from '@deskside/core/base';
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

export type GroupCatalog = ReturnType<typeof groupCatalog>;

/** Looks up each group once: a range has thousands of rows and hundreds of groups. */
export function groupCatalog(layout: Layout) {
  const columns = ['Name', 'Key', 'Color', 'GroupType', 'CommonId', 'CommonGroupId', 'FolderId'] as const;
  const groupById = layout.lookup('Ar_Group', columns, 'ReportId', 'GroupId');
  const commonId = commonIdColumn(layout, 'Ar_CommonGroup') ?? 'CommonId';
  const commonById = layout.lookup('Ar_CommonGroup', ['Name', 'Key', 'Color'], commonId);
  const folderById = layout.lookup('Ar_Folder', ['Name'], 'FolderId');
  /** By shared group and group, of each report. */
  const groups = new Map<number, Map<unknown, Group | undefined>>();
  const commonGroups = new Map<unknown, CommonGroup>();

  function common(id: unknown): CommonGroup {
    return getOrAdd(commonGroups, id, () => {
      const { Name, Color, Key } = commonById(id) ?? {};
      return {
        name: storedText(Name),
        color: colorOf(Color),
        key: storedText(Key),
        isDamaged: hasDamage(Name, Key),
      };
    });
  }

  function find(reportId: number, groupId: unknown, ownCommonId: unknown): Group | undefined {
    const stored = groupId === null ? undefined : groupById(reportId, groupId);
    const sharedId = stored?.CommonId ?? stored?.CommonGroupId ?? ownCommonId;
    if (stored === undefined && sharedId === null) return undefined;
    const shared = sharedId === null ? undefined : common(sharedId);
    const { Name, Color, Key, GroupType, FolderId = null } = stored ?? {};
    const folder = folderById(FolderId)?.Name;
    return {
      name: storedText(Name),
      color: colorOf(Color) ?? shared?.color,
      key: storedText(Key),
      type: storedText(GroupType),
      commonId: sharedId === null ? undefined : storedText(sharedId),
      commonName: shared?.name,
      commonKey: shared?.key,
      folder: storedText(folder),
      isDamaged: shared?.isDamaged === true || hasDamage(Name, Key, GroupType, folder),
    };
  }

  return {
    /** @param ownCommonId shared group of the activity row itself, if the row names one */
    group(reportId: number, groupId: unknown, ownCommonId: unknown): Group | undefined {
      if (groupId === null && ownCommonId === null) return undefined;
      const ofReport = getOrAdd(groups, reportId, () => new Map<unknown, Group | undefined>());
      // Nearly all rows name none of the two, or the same.
      const id = groupId === ownCommonId ? groupId : `${String(groupId)}/${String(ownCommonId)}`;
      if (!ofReport.has(id)) ofReport.set(id, find(reportId, groupId, ownCommonId));
      return ofReport.get(id);
    },
    common,
  };
}

function hasDamage(...values: readonly unknown[]): boolean {
  return values.some((value) => value !== undefined && value !== null && storedText(value) === undefined);
}

/** Name of the column with the id of the shared group. It depends on ManicTime's version. */
export function commonIdColumn(layout: Layout, table: string) {
  return layout.firstOf(table, 'CommonId', 'CommonGroupId');
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
