import { getOrAdd } from '../base/values.ts';
import type { Awaitable, Era, Principal, View } from './context.ts';

/**
 * What a server offers: fixed, or chosen for each request. A function may depend on the principal and on what changes at
 * run time, and on nothing else. Return the same array as long as nothing has changed: listings are cached per array.
 */
export type Offer<Deps, Item> =
  | readonly Item[]
  | ((deps: Deps, principal: Principal) => Awaitable<readonly Item[]>);

/** Items with an index. */
export interface Catalog<Item> {
  readonly items: readonly Item[];
  readonly index: ReadonlyMap<string, Item>;
}

/**
 * Returns the function that looks up a server's items.
 *
 * @param index checks the items and indexes them
 * @throws Error for fixed items that cannot work together; the returned function throws it for chosen ones
 */
export function catalogOf<Deps, Item>(
  offer: Offer<Deps, Item>,
  deps: Deps,
  index: (items: readonly Item[]) => ReadonlyMap<string, Item>,
): (principal: Principal) => Awaitable<Catalog<Item>> {
  if (typeof offer !== 'function') {
    const fixed = { items: offer, index: index(offer) };
    return () => fixed;
  }
  const catalogs = new WeakMap<readonly Item[], Catalog<Item>>();
  return async (principal) => {
    const items = await offer(deps, principal);
    return getOrAdd(catalogs, items, () => ({ items, index: index(items) }));
  };
}

/** Caches listings per catalog, era and `toolName` function: creating them costs more than most answers. */
export function cachedListings<Item, Listing extends { readonly name: string }>(
  list: (item: Item, view: View) => Listing,
): (catalog: Catalog<Item>, view: View) => readonly Listing[] {
  type Naming = WeakMap<object, readonly Listing[]>;
  const cache = new WeakMap<Catalog<Item>, Record<Era, Naming>>();
  return (catalog, view) => {
    const byEra = getOrAdd(cache, catalog, () => ({ legacy: new WeakMap(), modern: new WeakMap() }));
    return getOrAdd(byEra[view.era], view.toolName, () => catalog.items.map((item) => list(item, view)));
  };
}
