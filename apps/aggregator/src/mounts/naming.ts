import { ownName, type ToolName } from '@deskside/core';
import { type Mount, mountedName } from './mount.ts';

/** A mount's names within the names that the aggregator itself goes by; the same function for the same outer one. */
export type Naming = (outer: ToolName) => ToolName;

export function namingOf(mount: Mount): Naming {
  const inner = mountedName(mount);
  const kept = new WeakMap<ToolName, ToolName>([[ownName, inner]]);
  return (outer) => {
    const known = kept.get(outer);
    if (known !== undefined) return known;
    const naming: ToolName = (name) => outer(inner(name));
    kept.set(outer, naming);
    return naming;
  };
}
