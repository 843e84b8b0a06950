import { BUILT_IN_IDS, builtInOptions, openBuiltIn } from './built-in.ts';
import { type Listing, recordListing } from '@deskside/gateway';

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
