import * as z from 'zod';
import type { DiagnosticNote } from '../errors/index.ts';

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

/** Output field: whether the answer is incomplete or empty for a reason, and what to do about it. */
export const diagnostics = z
  .object({
    degraded: z.boolean(),
    reasonCode: z.string().optional(),
    remediationHint: z.string().optional(),
  })
  .describe('Whether data for this answer was missing, and what to do about it.');

export type Diagnostics = z.output<typeof diagnostics>;

/** Returns the first note that degrades the answer, otherwise the first note. */
export function diagnosticsOf(notes: readonly (DiagnosticNote | undefined)[]): Diagnostics {
  const present = notes.filter((note) => note !== undefined);
  const note = present.find(({ degraded }) => degraded) ?? present[0];
  if (note === undefined) return { degraded: false };
  const { degraded, reasonCode, remediationHint } = note;
  return { degraded, reasonCode, remediationHint };
}
