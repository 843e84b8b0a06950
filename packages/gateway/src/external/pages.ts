import type { Result } from '@modelcontextprotocol/client';
import type { Method } from './results.ts';
import { StartFailure } from './problems.ts';

/** Limits of one list. A server that exceeds them is faulty or hostile. */
const MAX_PAGES = 200;
const MAX_ITEMS = 10_000;
/** Of all lists of a server together. */
const MAX_CHARACTERS = 8_000_000;

/** What a server may still list. */
export interface ListBudget {
  characters: number;
}

export const listBudget = (): ListBudget => ({ characters: MAX_CHARACTERS });

type Ask = (method: Method, params: Record<string, unknown>) => Promise<Result>;

/** All items of a list, and a sentence if it ends only because its pages repeat. */
export interface Pages<Item> {
  readonly items: readonly Item[];
  readonly problem?: string;
}

/**
 * Reads a list page by page.
 *
 * @throws Error for a list that does not end
 */
export async function allPages<Item>(
  ask: Ask,
  budget: ListBudget,
  method: Method,
  member: string,
): Promise<Pages<Item>> {
  const items: Item[] = [];
  const cursors = new Set<string>();
  for (let cursor: string | undefined; ;) {
    const page = await ask(method, cursor === undefined ? {} : { cursor });
    const listed = page[member];
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema of the method was checked
    const added = Array.isArray(listed) ? (listed as Item[]) : [];
    if (items.length + added.length > MAX_ITEMS)
      throw new Error(`${method} has more than ${MAX_ITEMS} items`);
    budget.characters -= JSON.stringify(added).length;
    if (budget.characters < 0) throw new StartFailure('Its lists are too long.');
    for (const item of added) items.push(item);
    const next = page['nextCursor'];
    if (typeof next !== 'string' || next === '') return { items };
    if (cursors.has(next)) {
      // A server that ignores the cursor has sent the same items again.
      const once = [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
      return { items: once, problem: `${method} repeats its pages, so it ends after ${once.length} items.` };
    }
    if (cursors.size >= MAX_PAGES) throw new Error(`${method} does not end`);
    cursors.add(next);
    cursor = next;
  }
}
