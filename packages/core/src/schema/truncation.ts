import { z } from 'zod';

/** What a cap left out. At exactly the cap nothing was. */
export const truncation = z
  .object({
    truncated: z.boolean(),
    returnedCount: z.int().min(0),
    totalAvailable: z.int().min(0).optional(),
  })
  .describe('Whether a cap left something out of this answer.');

export type Truncation = z.output<typeof truncation>;

/** What a cap left of a list. */
export interface Capped<Item> {
  readonly items: readonly Item[];
  readonly truncation: Truncation & { readonly totalAvailable: number };
}

/** The first of a list, and the truth about the rest. */
export function capped<Item>(
  items: readonly Item[],
  limit: number,
  total: number = items.length,
): Capped<Item> {
  const kept = items.slice(0, limit);
  return {
    items: kept,
    truncation: { truncated: kept.length < total, returnedCount: kept.length, totalAvailable: total },
  };
}

/** Bytes of one list in an answer, so that the whole stays far below what hosts take inline (1 MB). */
const MOST_BYTES = 350_000;

/** The same, and no more than fit: titles may be long. */
export function cappedToFit<Item>(items: readonly Item[], limit: number, total?: number): Capped<Item> {
  let bytes = 0;
  let fitting = 0;
  for (const item of items.slice(0, limit)) {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
    if (bytes > MOST_BYTES) break;
    fitting += 1;
  }
  return capped(items, Math.min(limit, fitting), total);
}

/** A number of items above its cap is the cap; below one never gets here. */
export function clampTo(cap: number, fallback: number, requested: number | undefined): number {
  return Math.min(requested ?? fallback, cap);
}
