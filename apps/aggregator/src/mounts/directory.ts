import { identityName } from '@deskside/core';
import { type Mount, mountedName } from './mount.ts';

/** The owner of a public name, and the owner's own name for it. Names are looked up, never split. */
export interface DirectoryEntry {
  readonly mount: Mount;
  readonly name: string;
}

export interface Directory {
  readonly tools: ReadonlyMap<string, DirectoryEntry>;
  readonly prompts: ReadonlyMap<string, DirectoryEntry>;
}

/** Hosts add a prefix and reject the result if it has more than 64 characters. */
const NAME = /^[a-zA-Z0-9_-]{1,60}$/;

/**
 * Lists the tools and prompts of all mounts.
 *
 * @throws Error that names both owners of a duplicate name, or the owner of a name that hosts reject
 */
export async function buildDirectory(mounts: readonly Mount[], user: string): Promise<Directory> {
  const view = { era: 'modern', toolName: identityName, principal: { user } } as const;
  const [tools, prompts] = [new Map<string, DirectoryEntry>(), new Map<string, DirectoryEntry>()];
  for (const mount of mounts) {
    for (const { name } of await mount.definition.listTools(view)) add(tools, 'tool', { mount, name });
    for (const { name } of await mount.definition.listPrompts(view)) add(prompts, 'prompt', { mount, name });
  }
  return { tools, prompts };
}

function add(entries: Map<string, DirectoryEntry>, kind: 'tool' | 'prompt', entry: DirectoryEntry): void {
  const name = mountedName(entry.mount)(entry.name);
  if (!NAME.test(name)) {
    throw new Error(
      `Mount "${entry.mount.id}" has a ${kind} name that hosts reject: "${name}". Use at most 60 letters, digits, "_" and "-".`,
    );
  }
  const other = entries.get(name);
  if (other !== undefined) {
    throw new Error(
      `Mounts "${other.mount.id}" and "${entry.mount.id}" both have a ${kind} "${name}". Change one id, or set "flat" to false.`,
    );
  }
  entries.set(name, entry);
}
