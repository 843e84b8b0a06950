import { identityName, type ServerDefinition, type ToolName } from '@deskside/core';

/** A server under a name in the aggregator. */
export interface Mount {
  /**
   * 1 to 16 lowercase letters and digits, a letter first: clients split names at underscores, and models replace
   * hyphens with underscores.
   */
  readonly id: string;
  readonly definition: ServerDefinition;
  /** If true, tools and prompts have no prefix: for a single server, or for prompts that use the bare names. */
  readonly flat?: boolean;
}

const MOUNT_ID = /^[a-z][a-z0-9]{0,15}$/;

/** @throws Error that names an invalid or duplicate id */
export function checkMountIds(mounts: readonly Mount[]): void {
  for (const [index, { id }] of mounts.entries()) {
    if (!MOUNT_ID.test(id)) {
      throw new Error(`Invalid mount id "${id}". Use 1 to 16 lowercase letters and digits, a letter first.`);
    }
    if (mounts.findIndex((mount) => mount.id === id) !== index) {
      throw new Error(`Two mounts have the id "${id}".`);
    }
  }
}

/** Maps a mount's own tool and prompt names to the names that the aggregator's clients use. */
export function mountedName({ id, flat = false }: Mount): ToolName {
  return flat ? (name) => name : (name) => `${id}_${name}`;
}

/** Maps the aggregator's own naming to the naming inside one mount. */
export type Naming = (outer: ToolName) => ToolName;

/**
 * The same `outer` always gives the same function, because a definition caches its listings by the identity of
 * `toolName`.
 */
export function namingOf(mount: Mount): Naming {
  const inner = mountedName(mount);
  const cache = new WeakMap<ToolName, ToolName>([[identityName, inner]]);
  return (outer) => {
    const cached = cache.get(outer);
    if (cached !== undefined) return cached;
    const naming: ToolName = (name) => outer(inner(name));
    cache.set(outer, naming);
    return naming;
  };
}
