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

/** Looks up each group once: a range has thousands of rows and hundreds of groups. */
export class GroupCatalog {
  readonly #groupById: ReturnType<typeof groupById>;
  readonly #commonById: ReturnType<typeof commonGroupById>;
  readonly #folderById: ReturnType<typeof folderById>;
  /** By shared group and group, of each report. */
  readonly #groups = new Map<number, Map<unknown, Group | undefined>>();
  readonly #common = new Map<unknown, CommonGroup>();

  constructor(layout: Layout) {
    this.#groupById = groupById(layout);
    this.#commonById = commonGroupById(layout);
    this.#folderById = folderById(layout);
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
      const { Name, Color, Key } = this.#commonById(commonId) ?? {};
      return {
        name: storedText(Name),
        color: colorOf(Color),
        key: storedText(Key),
        isDamaged: hasDamage(Name, Key),
      };
    });
  }

  #find(reportId: number, groupId: unknown, ownCommonId: unknown): Group | undefined {
    const stored = groupId === null ? undefined : this.#groupById(reportId, groupId);
    const commonId = stored?.CommonId ?? stored?.CommonGroupId ?? ownCommonId;
    if (stored === undefined && commonId === null) return undefined;
    const common = commonId === null ? undefined : this.common(commonId);
    const { Name, Color, Key, GroupType, FolderId = null } = stored ?? {};
    const folder = this.#folderById(FolderId)?.Name;
    return {
      name: storedText(Name),
      color: colorOf(Color) ?? common?.color,
      key: storedText(Key),
      type: storedText(GroupType),
      commonId: commonId === null ? undefined : storedText(commonId),
      commonName: common?.name,
      commonKey: common?.key,
      folder: storedText(folder),
      isDamaged: common?.isDamaged === true || hasDamage(Name, Key, GroupType, folder),
    };
  }
}

function hasDamage(...values: readonly unknown[]): boolean {
  return values.some((value) => value !== undefined && value !== null && storedText(value) === undefined);
}

/** Name of the column with the id of the shared group. It depends on ManicTime's version. */
export function commonIdColumn(layout: Layout, table: string) {
  return layout.firstOf(table, 'CommonId', 'CommonGroupId');
}

function groupById(layout: Layout) {
  const columns = ['Name', 'Key', 'Color', 'GroupType', 'CommonId', 'CommonGroupId', 'FolderId'] as const;
  return layout.lookup('Ar_Group', columns, 'ReportId', 'GroupId');
}

function commonGroupById(layout: Layout) {
  const key = commonIdColumn(layout, 'Ar_CommonGroup') ?? 'CommonId';
  return layout.lookup('Ar_CommonGroup', ['Name', 'Key', 'Color'], key);
}

function folderById(layout: Layout) {
  return layout.lookup('Ar_Folder', ['Name'], 'FolderId');
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
