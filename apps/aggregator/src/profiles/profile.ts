import type { Principal } from '@deskside/core';
import * as z from 'zod';
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
  const isIncluded = include === undefined ? () => true : matches(include);
  const isExcluded = matches(exclude);
  const hasMount = ({ id }: Mount) =>
    mounts === undefined ? isOwner || !PERSONAL_MOUNTS.has(id) : mounts.includes(id);
  return {
    hasMount,
    hasName: (mount, name) => hasMount(mount) && isIncluded(name) && !isExcluded(name),
  };
}

const GLOBS = 'use a list of patterns, such as ["read_*"]';

/** Patterns in deskside.toml. */
export const globsField = z.array(
  z.string({ error: GLOBS }).superRefine((glob, ctx) => {
    const problem = globProblem(glob);
    if (problem !== undefined) ctx.addIssue({ code: 'custom', message: problem });
  }),
  { error: GLOBS },
);

/** @returns the part of a sentence that rejects a pattern, undefined for a valid one */
function globProblem(glob: string): string | undefined {
  if (glob === '') return 'use a name or a pattern such as "read_*"';
  const [character] = /[^\p{L}\p{N}_*?./:-]/u.exec(glob) ?? [];
  if (character === undefined) return undefined;
  return `"${character}" has no meaning in a pattern. "*" stands for any characters, "?" for one`;
}

/** Whether a name matches one of the patterns. */
export function matches(globs: readonly string[]): (name: string) => boolean {
  const patterns = globs.map(patternOf);
  return (name) => patterns.some((pattern) => pattern.test(name));
}

/** `*` stands for any characters, `?` for one. */
function patternOf(glob: string): RegExp {
  const escaped = glob.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`);
}
