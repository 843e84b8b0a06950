import type { ServerDefinition, ToolName } from '@deskside/core';

/** A server under a name in the aggregator. */
export interface Mount {
  /** Lower-case letters and digits: clients split names at underscores, models turn hyphens into them. */
  readonly id: string;
  readonly definition: ServerDefinition;
  /** Keeps the bare names, for a single server or old prompts. */
  readonly flat?: boolean;
}

const MOUNT_ID = /^[a-z][a-z0-9]{0,15}$/;

/** @throws Error that says what an id may be */
export function checkMountId(id: string): void {
  if (MOUNT_ID.test(id)) return;
  throw new Error(`"${id}" can't be a mount: use 1 to 16 lower-case letters and digits, a letter first.`);
}

/** How a mount's tools and prompts are called by the aggregator's clients. */
export function mountedName({ id, flat = false }: Mount): ToolName {
  return flat ? (name) => name : (name) => `${id}_${name}`;
}
