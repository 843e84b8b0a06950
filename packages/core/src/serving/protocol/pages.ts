import { parsedJson } from '../../base/json.ts';
import type { Page } from '../../definition/resource.ts';
import { invalidCursor } from '../../definition/resource-list.ts';

/** Many clients read only the first page, so it is long. */
const DEFAULT_PAGE_ITEMS = 1000;

/** Where a page begins: the definition's own cursor, and how much of its answer was sent. */
interface Position {
  readonly cursor: string | undefined;
  readonly sent: number;
  /** Key of the last item sent, in case the list has changed since. */
  readonly lastKey: string;
}

const START: Position = { cursor: undefined, sent: 0, lastKey: '' };

/** One page of a list as the protocol sends it. */
export interface WirePage<Item> {
  readonly items: Item[];
  readonly next: { readonly nextCursor?: string };
}

/**
 * Cuts one page out of a list.
 *
 * @param given the client's cursor
 * @param list asks the definition, with the definition's own cursor
 * @throws UserError for an invalid cursor
 */
export async function readPage<Item>(
  given: string | undefined,
  pageSize: number | undefined,
  keyOf: (item: Item) => string,
  list: (cursor: string | undefined) => Promise<readonly Item[] | Page<Item>>,
): Promise<WirePage<Item>> {
  const position = given === undefined ? START : decode(given);
  const listed = await list(position.cursor);
  const { items, nextCursor }: Page<Item> = 'items' in listed ? listed : { items: listed };
  const from = startOf(items, position, keyOf);
  const page = items.slice(from, from + (pageSize ?? DEFAULT_PAGE_ITEMS));
  const sent = from + page.length;
  const last = page.at(-1);
  if (sent < items.length && last !== undefined) {
    return { items: page, next: { nextCursor: encode({ ...position, sent, lastKey: keyOf(last) }) } };
  }
  if (nextCursor === undefined) return { items: page, next: {} };
  return { items: page, next: { nextCursor: encode({ ...START, cursor: nextCursor }) } };
}

function startOf<Item>(
  items: readonly Item[],
  { sent, lastKey }: Position,
  keyOf: (item: Item) => string,
): number {
  if (sent === 0) return 0;
  const last = items[sent - 1];
  if (last !== undefined && keyOf(last) === lastKey) return sent;
  const moved = items.findIndex((item) => keyOf(item) === lastKey);
  if (moved === -1) throw invalidCursor();
  return moved + 1;
}

function encode({ cursor, sent, lastKey }: Position): string {
  return Buffer.from(JSON.stringify([cursor ?? null, sent, lastKey])).toString('base64url');
}

function decode(text: string): Position {
  const parts = parsedJson(Buffer.from(text, 'base64url').toString('utf8'));
  const [cursor, sent, lastKey]: readonly unknown[] = Array.isArray(parts) && parts.length === 3 ? parts : [];
  if (cursor !== null && typeof cursor !== 'string') throw invalidCursor();
  if (typeof sent !== 'number' || !Number.isSafeInteger(sent) || sent < 0) throw invalidCursor();
  if (typeof lastKey !== 'string') throw invalidCursor();
  return { cursor: cursor ?? undefined, sent, lastKey };
}

/** A list that does not page itself accepts only the cursors that core created for it. */
export function whole<Item>(
  list: () => Promise<readonly Item[]> | readonly Item[],
): (cursor: string | undefined) => Promise<readonly Item[]> {
  return async (cursor) => {
    if (cursor !== undefined) throw invalidCursor();
    return list();
  };
}
