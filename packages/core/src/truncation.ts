import * as z from 'zod';

/** Output field: whether a limit removed items from the answer. */
export const truncation = z
  .object({
    truncated: z.boolean(),
    returnedCount: z.int().min(0),
    totalAvailable: z.int().min(0).optional(),
  })
  .describe('Whether a limit removed items from the answer.');

export type Truncation = z.output<typeof truncation>;

/** The first items of a list, and how many the list has. */
export interface Capped<Item> {
  readonly items: readonly Item[];
  readonly truncation: Truncation & { readonly totalAvailable: number };
}

/** Returns at most `limit` items. */
export function capped<Item>(
  items: readonly Item[],
  limit: number,
  total: number = items.length,
): Capped<Item> {
  const first = items.slice(0, limit);
  return {
    items: first,
    truncation: { truncated: first.length < total, returnedCount: first.length, totalAvailable: total },
  };
}

/** Returns the requested number of items, at most `cap`. The schema rejects numbers below 1. */
export function clampTo(cap: number, fallback: number, requested: number | undefined): number {
  return Math.min(requested ?? fallback, cap);
}
