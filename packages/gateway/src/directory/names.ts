import type { Awaitable, ToolName, View } from '@deskside/core';
import { identityName } from '@deskside/core/errors';
import { kept } from '../mounts/kept.ts';
import { type Mount, mountedName, nameInside } from '../mounts/mount.ts';
import type { StartTimer } from '../mounts/timer.ts';
import { askAll, type MountHealth } from './health.ts';

/** The owner of a public name, and the owner's name for it. */
export interface Owner {
  readonly mount: Mount;
  readonly name: string;
}

/** A tool or prompt in the list of all mounts. */
export interface Mounted<Listing> {
  readonly mount: Mount;
  readonly listing: Listing;
}

interface Named {
  readonly name: string;
}

interface Combined<Listing> {
  readonly entries: readonly Mounted<Listing>[];
  /** A sentence per mount whose names cannot be listed. */
  readonly problems: ReadonlyMap<Mount, string>;
}

/** Hosts add a prefix and reject the result if it has more than 64 characters. */
const NAME = /^[a-zA-Z0-9_-]{1,60}$/;

/**
 * The tools, or the prompts, of all mounts. It stores nothing that a mount can change: the prefix of a name says whose it is,
 * and only mounts without a prefix are searched.
 */
export class Names<Listing extends Named> {
  readonly #kind: 'tool' | 'prompt';
  readonly #all: readonly MountHealth[];
  readonly #flat: readonly MountHealth[];
  readonly #prefixed: readonly Mount[];
  readonly #startTimer: StartTimer;
  readonly #list: (mount: Mount, view: View) => Awaitable<readonly Listing[]>;
  readonly #combine = kept((toolName: ToolName, ...parts: readonly (readonly Listing[])[]) =>
    this.#combined(toolName, parts),
  );

  constructor(
    kind: 'tool' | 'prompt',
    all: readonly MountHealth[],
    startTimer: StartTimer,
    list: (mount: Mount, view: View) => Awaitable<readonly Listing[]>,
  ) {
    this.#kind = kind;
    this.#all = all;
    this.#flat = all.filter(({ mount }) => mount.flat === true);
    this.#prefixed = all.map(({ mount }) => mount).filter(({ flat }) => flat !== true);
    this.#startTimer = startTimer;
    this.#list = list;
  }

  /** In a stable order. Names that a mount may not have are left out and reported. */
  async entries(view: View): Promise<readonly Mounted<Listing>[]> {
    const parts = await this.#ask(this.#all, view);
    const { entries, problems } = this.#combine(view.toolName, ...parts.map((part) => part ?? NOTHING));
    for (const health of this.#all) health.report(`${this.#kind} name`, problems.get(health.mount));
    return entries;
  }

  /** @param name as the aggregator lists it */
  async owner(name: string, view: View): Promise<Owner | undefined> {
    const prefixed = this.#prefixed.find(({ id }) => name.startsWith(`${id}_`));
    if (prefixed !== undefined) return { mount: prefixed, name: name.slice(prefixed.id.length + 1) };
    const [only, ...others] = this.#flat;
    if (only === undefined) return undefined;
    if (others.length === 0) return { mount: only.mount, name };
    const parts = await this.#ask(this.#flat, { ...view, toolName: identityName });
    const index = parts.findIndex((listings) => listings?.some((listing) => listing.name === name));
    const found = this.#flat[index];
    return found === undefined ? undefined : { mount: found.mount, name };
  }

  #ask(healths: readonly MountHealth[], view: View): Promise<readonly (readonly Listing[] | undefined)[]> {
    return askAll(healths, `${this.#kind}s`, this.#startTimer, (mount) =>
      this.#list(mount, { ...view, toolName: nameInside(mount, view.toolName) }),
    );
  }

  #combined(toolName: ToolName, parts: readonly (readonly Listing[])[]): Combined<Listing> {
    const entries = new Map<string, Mounted<Listing>>();
    const problems = new Map<Mount, string>();
    for (const [index, { mount }] of this.#all.entries()) {
      const listings = parts[index] ?? [];
      for (const listing of mount.isForeign === true ? listings.toSorted(byName) : listings) {
        const problem = this.#problemOf(mount, listing.name, entries, toolName);
        if (problem === undefined) entries.set(listing.name, { mount, listing });
        else if (!problems.has(mount)) problems.set(mount, problem);
      }
    }
    return { entries: [...entries.values()], problems };
  }

  #problemOf(
    mount: Mount,
    name: string,
    entries: ReadonlyMap<string, Mounted<Listing>>,
    toolName: ToolName,
  ): string | undefined {
    if (!NAME.test(name)) {
      return `Mount "${mount.id}" has a ${this.#kind} name that hosts reject: "${name}". Use at most 60 letters, digits, "_" and "-".`;
    }
    const other = entries.get(name)?.mount ?? this.#ownerByPrefix(mount, name, toolName);
    if (other === undefined) return undefined;
    return `Mounts "${other.id}" and "${mount.id}" both have a ${this.#kind} "${name}". Change one id, or set "flat" to false.`;
  }

  /** A name without prefix that begins with the prefix of another mount would be called there. */
  #ownerByPrefix(mount: Mount, name: string, toolName: ToolName): Mount | undefined {
    if (mount.flat !== true) return undefined;
    return this.#prefixed.find((other) => name.startsWith(toolName(mountedName(other)(''))));
  }
}

/** Another server may list its tools in another order each time: then no client could keep what it read. */
function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}

/** Of a mount that did not answer. */
const NOTHING: readonly never[] = [];
