import type { Database } from 'better-sqlite3';
import { colorOf } from '../timeline/colors.ts';
import type { Group } from '../timeline/activity.ts';
import type { Layout } from './layout.ts';
import { commonGroupById, groupById, type StoredCommonGroup } from './sql/groups.ts';

/** A group that all timelines share, as the pre-aggregated tables name it. */
export interface CommonGroup {
  readonly commonId: number;
  readonly name: string | undefined;
  readonly color: string | undefined;
  readonly key: string | undefined;
}

/** Looks groups up, each once: a range has thousands of rows and hundreds of groups. */
export class GroupCatalog {
  readonly #groupById: ReturnType<typeof groupById>;
  readonly #commonById: ReturnType<typeof commonGroupById>;
  readonly #groups = new Map<string, Group | undefined>();
  readonly #common = new Map<number, CommonGroup>();

  constructor(database: Database, layout: Layout) {
    this.#groupById = groupById(database, layout);
    this.#commonById = commonGroupById(database, layout);
  }

  /** @param commonId where the activity itself names the shared group */
  group(reportId: number, groupId: number | null, commonId: number | null): Group | undefined {
    if (groupId === null && commonId === null) return undefined;
    const id = `${reportId}/${groupId ?? ''}/${commonId ?? ''}`;
    if (!this.#groups.has(id)) this.#groups.set(id, this.#find(reportId, groupId, commonId));
    return this.#groups.get(id);
  }

  common(commonId: number): CommonGroup {
    const known = this.#common.get(commonId);
    if (known !== undefined) return known;
    const found = commonGroup(commonId, this.#commonById?.get(commonId));
    this.#common.set(commonId, found);
    return found;
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
    };
  }
}

function commonGroup(commonId: number, stored: StoredCommonGroup | undefined): CommonGroup {
  return {
    commonId,
    name: stored?.name ?? undefined,
    color: colorOf(stored?.color ?? null),
    key: stored?.key ?? undefined,
  };
}
