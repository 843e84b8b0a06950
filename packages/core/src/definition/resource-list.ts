import { parsedJson } from '../base/json.ts';
import { UserError } from '../errors/index.ts';
import type { Awaitable, RequestContext } from './context.ts';
import type { Page, Resource, ResourceListing, ResourceTemplate } from './resource.ts';

/** A template whose list has more pages, and the cursor that it gave for the next one. */
type Pending = readonly [uriTemplate: string, cursor: string];

/**
 * Lists the fixed resources and the first page of every template's list; with a cursor the next page of those lists that
 * have one.
 *
 * @throws UserError for an invalid cursor
 */
export async function resourcePage<Deps>(
  resources: readonly Resource<Deps>[],
  templates: readonly ResourceTemplate<Deps>[],
  deps: Deps,
  ctx: RequestContext,
  cursor: string | undefined,
): Promise<Page<ResourceListing>> {
  const pending = cursor === undefined ? undefined : readPending(cursor, templates);
  const asked = templates.flatMap((template) => {
    const inner = pending?.get(template.uriTemplate);
    return pending === undefined || inner !== undefined ? [{ template, inner }] : [];
  });
  const pages = await Promise.all(
    asked.map(async ({ template, inner }) => {
      const listed = (await template.list?.(deps, ctx, inner)) ?? [];
      const page: Page<ResourceListing> = 'items' in listed ? listed : { items: listed };
      return { uriTemplate: template.uriTemplate, page };
    }),
  );
  const next = pages.flatMap(({ uriTemplate, page: { nextCursor } }): readonly Pending[] =>
    nextCursor === undefined ? [] : [[uriTemplate, nextCursor]],
  );
  const fixed = pending === undefined ? resources.filter(({ listed }) => listed !== false) : [];
  return {
    items: [
      ...fixed.map(({ read: _, listed: __, cache: ___, ...listing }) => listing),
      ...pages.flatMap(({ page }) => page.items),
    ],
    ...(next.length === 0 ? {} : { nextCursor: JSON.stringify(next) }),
  };
}

function readPending(
  cursor: string,
  templates: readonly { readonly uriTemplate: string }[],
): ReadonlyMap<string, string> {
  const known = new Set(templates.map(({ uriTemplate }) => uriTemplate));
  const pending = parsedJson(cursor);
  if (!Array.isArray(pending) || !pending.every((each) => isPending(each, known))) throw invalidCursor();
  return new Map(pending);
}

function isPending(value: unknown, known: ReadonlySet<unknown>): value is Pending {
  return Array.isArray(value) && value.length === 2 && known.has(value[0]) && typeof value[1] === 'string';
}

export function invalidCursor(): UserError {
  return new UserError({
    error: 'Invalid cursor: this server did not give it, or the list has changed.',
    code: 'INVALID_ARGUMENT',
    hint: 'Read the list again without a cursor.',
  });
}

/**
 * Lists all resources of a server, page by page.
 *
 * @throws Error if a cursor comes twice
 */
export async function allResources(
  definition: {
    listResources(
      ctx: RequestContext,
      cursor?: string,
    ): Awaitable<readonly ResourceListing[] | Page<ResourceListing>>;
  },
  ctx: RequestContext,
): Promise<readonly ResourceListing[]> {
  const all: ResourceListing[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const listed = await definition.listResources(ctx, cursor);
    const page: Page<ResourceListing> = 'items' in listed ? listed : { items: listed };
    all.push(...page.items);
    cursor = page.nextCursor;
    if (cursor !== undefined && seen.has(cursor)) throw new Error('A list of resources repeats its pages.');
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined);
  return all;
}
