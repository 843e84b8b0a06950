import { UserError } from '../../errors/index.ts';

/** Many clients read only the first page, so it is long. */
const DEFAULT_PAGE_ITEMS = 1000;

/** One page of a list as the protocol sends it. */
export interface WirePage<Item> {
  readonly items: Item[];
  readonly next: { readonly nextCursor?: string };
}

/**
 * Cuts one page out of a list.
 *
 * @param cursor how many items were sent before, as the page before gave it to the client
 * @throws UserError for a cursor that no page of this list has
 */
export function pageOf<Item>(
  items: readonly Item[],
  cursor: string | undefined,
  pageSize: number = DEFAULT_PAGE_ITEMS,
): WirePage<Item> {
  const from = cursor === undefined ? 0 : startOf(cursor, items.length);
  const end = from + pageSize;
  return { items: items.slice(from, end), next: end < items.length ? { nextCursor: String(end) } : {} };
}

function startOf(cursor: string, length: number): number {
  const from = Number(cursor);
  if (/^[1-9]\d*$/.test(cursor) && from < length) return from;
  throw new UserError({
    error: 'Invalid cursor: this server did not give it, or the list has changed.',
    code: 'INVALID_ARGUMENT',
    hint: 'Read the list again without a cursor.',
  });
}
