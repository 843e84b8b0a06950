import {
  allResources,
  type Caching,
  changeFeed,
  defineServer,
  type Offer,
  type OwnChangeFeed,
  type Page,
  type Principal,
  type RequestContext,
  type ResourceListing,
  type ResourceTemplate,
  type ServerDefinition,
  type ServerSpec,
  type Tool,
  toolDefiner,
  type ToolSpec,
} from '@deskside/core';
import { z } from 'zod';

const PAGE_SIZE = 100;

/** Log files of one machine; administrators may delete them. */
export class LogFiles {
  readonly changes: OwnChangeFeed = changeFeed();
  readonly names: string[];
  #tools: readonly Tool<LogFiles>[] = [];

  constructor(names: readonly string[]) {
    this.names = [...names];
  }

  /** The same array until it changes: listings are cached per array. */
  toolsFor({ user }: Principal): readonly Tool<LogFiles>[] {
    return user === 'admin' ? this.#tools : [];
  }

  allowDeletion(): void {
    this.#tools = [deleteLog];
    this.changes.changed('tools');
  }
}

const input = z.strictObject({ name: z.string().describe('Name of the file, for example a.log.') });
const output = z.discriminatedUnion('status', [
  z.object({ status: z.literal('deleted') }),
  z.object({ status: z.literal('missing'), left: z.int() }),
]);

/** A strict input names the unknown argument. A union of objects is structured, as an object is. */
const deletion: ToolSpec<LogFiles, typeof input, typeof output> = {
  name: 'delete_log',
  title: 'Delete a log file',
  description: 'Deletes a log file.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  icons: [{ src: 'https://example.org/bin.svg', mimeType: 'image/svg+xml' }],
  meta: { 'example.org/audited': true },
  input,
  output,
  run({ name }, { names, changes }) {
    const index = names.indexOf(name);
    if (index === -1) return { status: 'missing', left: names.length };
    names.splice(index, 1);
    changes.changed('resources');
    return { status: 'deleted' };
  },
};
const deleteLog: Tool<LogFiles> = toolDefiner<LogFiles>()(deletion);

const log: ResourceTemplate<LogFiles> = {
  uriTemplate: 'log://{name}',
  name: 'log',
  mimeType: 'text/plain',
  /** Clients may keep the content for an hour, and share it among users. */
  cache: { ttlMs: 3_600_000, cacheScope: 'public' },
  list({ names }, _ctx, cursor = '0'): Page<ResourceListing> {
    const start = Number(cursor);
    const items = names.slice(start, start + PAGE_SIZE).map((name) => ({ uri: `log://${name}`, name }));
    const end = start + items.length;
    return { items, ...(end < names.length ? { nextCursor: String(end) } : {}) };
  },
  read: ({ name }, { names }) => (names.includes(String(name)) ? `content of ${String(name)}` : undefined),
};

const tools: Offer<LogFiles, Tool<LogFiles>> = (files, principal) => files.toolsFor(principal);

export function logServer(files: LogFiles): ServerDefinition {
  const spec: ServerSpec<LogFiles> = {
    name: 'logs',
    version: '1.0.0',
    deps: files,
    changes: files.changes,
    tools,
    templates: [log],
    pageSize: PAGE_SIZE,
    caching: { lists: { ttlMs: 10_000 } },
  };
  return defineServer(spec);
}

/** All pages, for a program that uses a definition without a client. */
export async function resourceNames(definition: ServerDefinition, ctx: RequestContext): Promise<string[]> {
  return (await allResources(definition, ctx)).map(({ name }) => name);
}

/** What clients may cache, with the defaults filled in. */
export const cachingOf = ({ caching = {} }: ServerDefinition): Caching => caching;
