import { Refused } from './refused.ts';

/** Default and cap of a page of tasks. */
export const PAGE_LIMIT = 500;

export type Status = 'all' | 'pending' | 'completed';

/** Anything that is no status means all. */
export function statusOf(value: unknown): Status {
  return value === 'pending' || value === 'completed' ? value : 'all';
}

/** Clamped to the cap. */
export function limitOf(value: unknown): number {
  if (value === undefined) return PAGE_LIMIT;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1) return Math.min(value, PAGE_LIMIT);
  throw new Refused('invalid', {
    error: 'limit must be a whole number from 1',
    code: 'INVALID_ARGUMENT',
    hint: `Pass a limit from 1 to ${PAGE_LIMIT}, or none for ${PAGE_LIMIT}.`,
  });
}

export function afterIdOf(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new Refused('invalid', {
    error: 'after_id must be the id of a task',
    code: 'INVALID_ARGUMENT',
    hint: 'Pass the id of the last task of the page before, as a number.',
  });
}
