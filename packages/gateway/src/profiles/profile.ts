import type { Principal } from '@deskside/core';
import * as z from 'zod';
import { matches } from '../mounts/glob.ts';
import { kept } from '../mounts/kept.ts';
import type { Mount } from '../mounts/mount.ts';

/**
 * How the tools of external servers reach a model. In the earlier ones more calls ask the person. `search`: with
 * `find_tools` and `call_tool`. `auto`: with them if there are too many for a model, and the client does not
 * have a search of its own. `all`: in the list.
 */
export const TOOLS_MODES = ['search', 'auto', 'all'] as const;

export type ToolsMode = (typeof TOOLS_MODES)[number];

/** Which mounts, tools and prompts a caller may see and call. Everything else does not exist for it. */
export interface Selection {
  hasMount(mount: Mount): boolean;
  /** @param name of a tool or prompt, as the aggregator lists it */
  hasName(mount: Mount, name: string): boolean;
  /** How the tools of external servers reach a model. Default `auto`. */
  readonly tools?: ToolsMode | undefined;
}

/** The selection for a caller. The same principal and settings always give the same object: lists are cached for it. */
export type Select = (principal: Principal) => Selection;

export const everything: Selection = { hasMount: () => true, hasName: () => true };

export const nothing: Selection = { hasMount: () => false, hasName: () => false };

/** What both selections contain. */
function both(first: Selection, second: Selection): Selection {
  if (first === everything) return second;
  if (second === everything) return first;
  return {
    hasMount: (mount) => first.hasMount(mount) && second.hasMount(mount),
    hasName: (mount, name) => first.hasName(mount, name) && second.hasName(mount, name),
    // In a search more calls ask the person, so the second selection does not end it.
    tools: first.tools === 'search' ? first.tools : (second.tools ?? first.tools),
  };
}

/**
 * Which calls the person is asked about: `ask` all that may have an effect, `destructive` those that may destroy data,
 * `off` none.
 */
export const LEVELS = ['ask', 'destructive', 'off'] as const;
export type ApprovalLevel = (typeof LEVELS)[number];

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
  /** For tokens with this profile. Over its own address and for attached clients it can only be stricter. */
  readonly approvals?: ApprovalLevel;
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
  const narrowed = kept((callers: Selection) => both(callers, selection));
  return (principal) => narrowed(select(principal));
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

/** @param problemOf the part of a sentence that rejects a text */
export function refined(schema: z.ZodString, problemOf: (text: string) => string | undefined): z.ZodString {
  return schema.superRefine((text, ctx) => {
    const message = problemOf(text);
    if (message !== undefined) ctx.addIssue({ code: 'custom', message });
  });
}

/** Patterns in deskside.toml. */
export const globsField = z.array(refined(z.string({ error: GLOBS }), globProblem), { error: GLOBS });

/** Patterns for the server's own names of tools whose calls run, ask the person, or are refused. */
export const approvalFields = {
  run: globsField.optional(),
  ask: globsField.optional(),
  block: globsField.optional(),
};

/** @returns the part of a sentence that rejects a pattern, undefined for a valid one */
function globProblem(glob: string): string | undefined {
  if (glob === '') return 'use a name or a pattern such as "read_*"';
  const [character] = /[^\p{L}\p{N}_*?./:-]/u.exec(glob) ?? [];
  if (character === undefined) return undefined;
  return `"${character}" has no meaning in a pattern. "*" stands for any characters, "?" for one`;
}
