import { BUILT_IN_IDS, builtInOptions, openBuiltIn } from './built-in.ts';
import type { RequestContext, ServerDefinition, View } from '@deskside/core';
import { DEFAULT_USER } from '@deskside/core/base';
import { type Listing, marked } from '@deskside/gateway';

/** Its tool names the services of its configuration. */
const CONFIGURED = 'log';

/** What the mounts list without settings, for the build. */
export async function recordListings(): Promise<Readonly<Record<string, Listing>>> {
  const options = await builtInOptions();
  await using opened = await openBuiltIn({}, { mounts: BUILT_IN_IDS.filter((id) => id !== CONFIGURED) });
  const listings = opened.mounts.map(async ({ id, definition }) => {
    const variables = (options[id]?.settings ?? []).flatMap(({ env }) => env ?? []);
    return [id, await recordListing(definition, variables)] as const;
  });
  return Object.fromEntries(await Promise.all(listings));
}

/** Records a server whose lists depend on the names of its tools alone. */
export async function recordListing(
  definition: ServerDefinition,
  variables: readonly string[],
): Promise<Listing> {
  const { identity, capabilities, caching, changes, watchResource } = definition;
  const view: View = { era: 'modern', toolName: marked, principal: { user: DEFAULT_USER } };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- fixed resources need no more
  const resources = await definition.listResources(view as RequestContext);
  const uris = await definition.resourceUris(view);
  if (resources.some(({ uri }) => !uris.includes(uri))) {
    throw new Error(`${identity.name} has resources that cannot be recorded.`);
  }
  return {
    variables,
    identity,
    capabilities,
    ...(caching === undefined ? {} : { caching }),
    changes: changes !== undefined,
    watches: watchResource !== undefined,
    texts: {
      instructions: definition.instructions(marked),
      tools: await definition.listTools(view),
      prompts: await definition.listPrompts(view),
      resources,
      templates: await definition.listResourceTemplates(view),
      uris,
    },
  };
}
