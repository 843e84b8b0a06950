import type { Principal } from '@deskside/core';
import type { Mount } from '../mounts/mount.ts';
import { both, everything, nothing, type Select, type Selection } from './selection.ts';

/** A named selection of mounts and tools. Without any field it contains everything. */
export interface Profile {
  /** Ids of the mounts. Default: all. */
  readonly mounts?: readonly string[];
  /** Patterns for names of tools and prompts with their prefix, such as `todo_*`. Default: all. */
  readonly include?: readonly string[];
  /** Patterns for names that are left out, also if `include` contains them. */
  readonly exclude?: readonly string[];
}

export type Profiles = ReadonlyMap<string, Profile>;

/** They reach or show the person at the desk, so other users need a profile that names them. */
const PERSONAL_MOUNTS: ReadonlySet<string> = new Set(['log', 'manictime', 'popup']);

/**
 * Returns what a caller may use: everything without a profile, nothing with a profile that does not exist.
 *
 * @param owner the user at the desk
 */
export function selectBy(profiles: Profiles, owner: string): Select {
  const own = new Map([...profiles].map(([name, profile]) => [name, selectionOf(profile, true)] as const));
  const others = new Map(
    [...profiles].map(([name, profile]) => [name, selectionOf(profile, false)] as const),
  );
  return ({ user, profile }: Principal) => {
    if (profile === undefined) return everything;
    return (user === owner ? own : others).get(profile) ?? nothing;
  };
}

/** The selection of a caller within one profile. */
export function within(profile: Profile, select: Select): Select {
  const selection = selectionOf(profile, true);
  const cache = new WeakMap<Selection, Selection>();
  return (principal) => {
    const callers = select(principal);
    const cached = cache.get(callers) ?? both(callers, selection);
    cache.set(callers, cached);
    return cached;
  };
}

function selectionOf({ mounts, include, exclude = [] }: Profile, isOwner: boolean): Selection {
  const included = include?.map(patternOf);
  const excluded = exclude.map(patternOf);
  const hasMount = ({ id }: Mount) =>
    mounts === undefined ? isOwner || !PERSONAL_MOUNTS.has(id) : mounts.includes(id);
  return {
    hasMount,
    hasName: (mount, name) =>
      hasMount(mount) &&
      (included === undefined || included.some((pattern) => pattern.test(name))) &&
      !excluded.some((pattern) => pattern.test(name)),
  };
}

/** `*` stands for any characters, `?` for one. Names contain no slashes. */
function patternOf(glob: string): RegExp {
  const escaped = glob.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`);
}
