import type { ServerDefinition } from '@deskside/core';
import type { KnownClient } from '@deskside/core/internal';
import { UserError } from '@deskside/core/errors';
import leven from 'leven';
import type { Mounted } from '../directory/names.ts';
import type { Selection } from '../profiles/profile.ts';

export type ToolListing = Awaited<ReturnType<ServerDefinition['listTools']>>[number];

/** More foreign tools are searched. */
const MAX_LISTED_TOOLS = 40;
const MAX_LISTED_BYTES = 40_000;
/** How many tools a search returns. */
const MAX_FOUND = 5;
/** Of their listings: an answer stays under 60 kB. */
const MAX_FOUND_BYTES = 55_000;
const MAX_NEAREST = 3;

/** The tools that a caller may use, and the search among those of external servers. */
export class Toolset {
  readonly all: readonly ToolListing[];
  /** Number of tools of each external server, by the id of its mount. */
  readonly servers: ReadonlyMap<string, number>;
  readonly #own: readonly ToolListing[];
  readonly #foreign: readonly ToolListing[];
  readonly #mode: NonNullable<Selection['tools']>;
  #bytes: number | undefined;
  #searched: readonly ToolListing[] | undefined;
  #find: ((query: string, limit: number) => readonly string[]) | undefined;

  constructor(entries: readonly Mounted<ToolListing>[], { tools: mode = 'auto' }: Pick<Selection, 'tools'>) {
    const isForeign = ({ mount }: Mounted<ToolListing>) => mount.isForeign === true;
    const foreign = entries.filter(isForeign);
    const ids = new Set(foreign.map(({ mount }) => mount.id));
    this.all = entries.map(({ listing }) => listing);
    this.servers = new Map([...ids].map((id) => [id, foreign.filter(({ mount }) => mount.id === id).length]));
    this.#own = entries.filter((entry) => !isForeign(entry)).map(({ listing }) => listing);
    this.#foreign = foreign.map(({ listing }) => listing);
    this.#mode = mode;
  }

  /** Whether a client finds the tools of external servers by a search. */
  isSearched(known: KnownClient | undefined): boolean {
    if (this.#foreign.length === 0 || this.#mode === 'all') return false;
    return this.#mode === 'search' || (known?.defersTools !== true && this.#isLong());
  }

  /** Most hosts do not show output schemas to the model. */
  #isLong(): boolean {
    this.#bytes ??= bytesOf(this.#foreign.map(({ outputSchema: _, ...listing }) => listing));
    return this.#foreign.length > MAX_LISTED_TOOLS || this.#bytes > MAX_LISTED_BYTES;
  }

  /** The list with the tools of the search instead of those of external servers. */
  searched(searchTools: () => readonly ToolListing[]): readonly ToolListing[] {
    // The same array each time: core caches by it.
    this.#searched ??= [...this.#own, ...searchTools()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return this.#searched;
  }

  async find(query: string): Promise<readonly ToolListing[]> {
    // Few desks have so many tools.
    const { ranking } = await import('./ranking.ts');
    this.#find ??= ranking(this.#foreign);
    let left = MAX_FOUND_BYTES;
    return this.#find(query, MAX_FOUND).flatMap((name) => {
      const listing = this.#listing(name);
      if (listing === undefined) return [];
      const { outputSchema: _, icons: __, _meta: ___, ...shown } = listing;
      const bytes = bytesOf(shown);
      // Its server says what is wrong.
      if (bytes > left) return [{ name, inputSchema: { type: 'object' } }];
      left -= bytes;
      return [shown];
    });
  }

  /** @throws UserError NOT_FOUND that names the nearest tools */
  foreign(name: string): ToolListing {
    const listing = this.#listing(name);
    if (listing !== undefined) return listing;
    if (this.#own.some((own) => own.name === name)) {
      throw new UserError({
        error: `${name} is in your list of tools.`,
        code: 'NOT_FOUND',
        hint: `Call ${name}.`,
      });
    }
    const nearest = this.#foreign
      .map((each) => ({ name: each.name, distance: leven(name, each.name) }))
      .toSorted((a, b) => a.distance - b.distance)
      .slice(0, MAX_NEAREST)
      .map((each) => each.name);
    throw new UserError({
      error: 'There is no tool with this name.',
      code: 'NOT_FOUND',
      hint: (toolName) =>
        `The nearest names: ${nearest.join(', ')}. Find others with ${toolName('find_tools')}.`,
    });
  }

  #listing(name: string): ToolListing | undefined {
    return this.#foreign.find((listing) => listing.name === name);
  }
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
