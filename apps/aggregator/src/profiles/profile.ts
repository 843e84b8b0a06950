import type { Principal } from '@deskside/core';
import * as z from 'zod';
import type { Mount } from '../mounts/mount.ts';
import { both, everything, nothing, type Select, type Selection, type ToolsMode } from './selection.ts';

/** A named selection of mounts and tools. Without any field it contains everything. */
export interface Profile {
  /** Ids of the mounts. Default: all. */
  readonly mounts?: readonly string[];
  /** Patterns for names of tools and prompts with their prefix, such as `todo_*`. Default: all. */
  readonly include?: readonly string[];
  /** Patterns for names that are left out, also if `include` contains them. */
  readonly exclude?: readonly string[];
  /** How the tools of external servers reach a model. Default `auto`. */
  readonly tools?: ToolsMode;
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

function selectionOf({ mounts, include, exclude = [], tools }: Profile, isOwner: boolean): Selection {
  const isIncluded = include === undefined ? () => true : matches(include);
  const isExcluded = matches(exclude);
  const hasMount = ({ id }: Mount) =>
    mounts === undefined ? isOwner || !PERSONAL_MOUNTS.has(id) : mounts.includes(id);
  return {
    hasMount,
    hasName: (mount, name) => hasMount(mount) && isIncluded(name) && !isExcluded(name),
    tools,
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
  return (name) => globs.some((glob) => isMatch(glob, name));
}

/**
 * `*` stands for any characters, `?` for one. A regular expression could need years for a name that a server has chosen for
 * it; here the last `*` takes one character more after each mismatch.
 */
function isMatch(glob: string, name: string): boolean {
  let [at, next] = [0, 0];
  let star: { readonly next: number; at: number } | undefined;
  while (at < name.length) {
    if (glob[next] === '*') star = { next: (next += 1), at };
    else if (glob[next] === '?' || glob[next] === name[at]) [at, next] = [at + 1, next + 1];
    else if (star === undefined) return false;
    else [at, next] = [(star.at += 1), star.next];
  }
  while (glob[next] === '*') next += 1;
  return next === glob.length;
}
