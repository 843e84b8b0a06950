import { UserError } from '../../errors/index.ts';

/** Many clients read only the first page, so it is long. */
const PAGE_ITEMS = 1000;

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
export function pageOf<Item>(items: readonly Item[], cursor: string | undefined): WirePage<Item> {
  const from = cursor === undefined ? 0 : startOf(cursor, items.length);
  const end = from + PAGE_ITEMS;
  // A list that fits is the same array each time: its text is kept. The SDK's types do not say that it changes none.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const page = from === 0 && end >= items.length ? (items as Item[]) : items.slice(from, end);
  return { items: page, next: end < items.length ? { nextCursor: String(end) } : {} };
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
