import { ownName } from '@deskside/core';
import { type Mount, mountedName } from './mount.ts';

/** Which mount answers to a name, and what it calls it itself. Names are looked up, never taken apart. */
export interface Entry {
  readonly mount: Mount;
  readonly name: string;
}

export interface Directory {
  readonly tools: ReadonlyMap<string, Entry>;
  readonly prompts: ReadonlyMap<string, Entry>;
}

/** Hosts prefix names again, and refuse what is longer than 64 characters then. */
const NAME = /^[a-zA-Z0-9_-]{1,60}$/;

/**
 * Asks every mount what it has.
 *
 * @throws Error naming both owners of a name, or the owner of a name that hosts refuse
 */
export async function directoryOf(mounts: readonly Mount[]): Promise<Directory> {
  const view = { era: 'modern', toolName: ownName } as const;
  const [tools, prompts] = [new Map<string, Entry>(), new Map<string, Entry>()];
  for (const mount of mounts) {
    for (const { name } of await mount.definition.listTools(view)) enter(tools, 'tool', { mount, name });
    for (const { name } of await mount.definition.listPrompts(view))
      enter(prompts, 'prompt', { mount, name });
  }
  return { tools, prompts };
}

function enter(entries: Map<string, Entry>, kind: string, entry: Entry): void {
  const name = mountedName(entry.mount)(entry.name);
  if (!NAME.test(name))
    throw new Error(`Mount "${entry.mount.id}" has a ${kind} that hosts refuse: "${name}".`);
  const other = entries.get(name);
  if (other !== undefined) {
    const owners = `"${other.mount.id}" and "${entry.mount.id}"`;
    throw new Error(
      `Mounts ${owners} both have a ${kind} "${name}". Give one another id, or mount it with a prefix.`,
    );
  }
  entries.set(name, entry);
}
