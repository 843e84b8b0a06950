import type { Principal } from '@deskside/core';
import type { Mount } from '../mounts/mount.ts';

/**
 * How the tools of external servers reach a model. `all`: in the list. `search`: with `find_tools` and `call_tool`.
 * `auto`: with them if there are too many for a model, and the client does not have a search of its own.
 */
export const TOOLS_MODES = ['auto', 'all', 'search'] as const;

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
export function both(first: Selection, second: Selection): Selection {
  if (first === everything) return second;
  if (second === everything) return first;
  return {
    hasMount: (mount) => first.hasMount(mount) && second.hasMount(mount),
    hasName: (mount, name) => first.hasName(mount, name) && second.hasName(mount, name),
    // In a search more calls ask the person, so the second selection does not end it.
    tools: first.tools === 'search' ? first.tools : (second.tools ?? first.tools),
  };
}
