import { escapeInvisible } from '@deskside/core/text';
import type { Review } from './review.ts';

/** Whether the person can accept the reading tools only: there are such tools, and others. */
export function offersReading(reviews: readonly Review[]): boolean {
  const reads = reviews.some(({ acting, accepted }) =>
    accepted?.listing.tools.some(({ name }) => !acting.includes(name)),
  );
  return reads && reviews.some(({ acting }) => acting.length > 0);
}

/** Patterns of deskside.toml that block the tools that do more than read. */
export function blockedBy({ acting }: Review): readonly string[] {
  // A name can have characters that have no place in a pattern.
  return acting.map((name) => name.replaceAll(/[^\p{L}\p{N}_*?./:-]/gu, ({ length }) => '?'.repeat(length)));
}

/** What the person did not accept, a line per server. */
export function blockedLines(reviews: readonly Review[]): readonly string[] {
  return reviews
    .filter(({ acting }) => acting.length > 0)
    .map(({ id, acting }) => `Blocked in ${id}: ${acting.map((name) => escapeInvisible(name)).join(', ')}.`);
}
