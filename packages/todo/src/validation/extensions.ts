import { codePointLength } from '@deskside/core/text';
import { parseWallTime } from '@deskside/core/dates';
import type { TaskQuery } from '../store/task-store.ts';
import { wordsOf } from '../store/words.ts';
import { invalidArgument } from './rejected-call.ts';

export const MAX_KEY_CODE_POINTS = 200;

/** More words than a person searches for; each one is a look into the index. */
const MAX_QUERY_WORDS = 20;
const MAX_QUERY_CODE_POINTS = 200;

/** No dates of antiquity: databases disagree about the year 0. */
const DATE = /^[1-9]\d{3}-\d{2}-\d{2}$/;

/** @returns `2026-11-30`; null for null and a blank text, undefined if not given */
export function readDueDate(value: unknown, argument = 'due_date'): string | null | undefined {
  if (value === undefined || value === null) return value;
  const text = typeof value === 'string' ? value.trim() : undefined;
  if (text === '') return null;
  if (text === undefined || !DATE.test(text) || parseWallTime(text) === undefined) {
    throw invalidArgument(
      `${argument} must be a date that exists`,
      `Pass ${argument} as year, month and day, for example 2026-11-30.`,
    );
  }
  return text;
}

/** @returns undefined if not given */
export function readIdempotencyKey(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (
    typeof value !== 'string' ||
    value.trim() === '' ||
    value.includes('\0') ||
    value.length > 2 * MAX_KEY_CODE_POINTS ||
    codePointLength(value) > MAX_KEY_CODE_POINTS
  ) {
    throw invalidArgument(
      `idempotency_key must be a text of 1 to ${MAX_KEY_CODE_POINTS} characters`,
      'Pass a new random key for each task, for example a UUID, or omit it.',
    );
  }
  return value.toWellFormed();
}

/** Reads `query` and `due_by` of a search. Null and blank texts mean: not given. */
export function readSearch(args: {
  readonly query?: unknown;
  readonly due_by?: unknown;
}): Pick<TaskQuery, 'words' | 'dueBy'> {
  const words = readWords(args.query ?? '');
  const dueBy = readDueDate(args.due_by, 'due_by');
  return {
    ...(words === undefined ? {} : { words }),
    ...(dueBy === undefined || dueBy === null ? {} : { dueBy }),
  };
}

function readWords(value: unknown): readonly string[] | undefined {
  if (typeof value !== 'string' || value.length > 2 * MAX_QUERY_CODE_POINTS) throw invalidQuery();
  if (value.trim() === '') return undefined;
  const words = wordsOf(value.replaceAll('\0', ' ').toWellFormed());
  if (words.length === 0 || words.length > MAX_QUERY_WORDS) throw invalidQuery();
  return words;
}

function invalidQuery() {
  return invalidArgument(
    `query must be a text with 1 to ${MAX_QUERY_WORDS} words of letters or digits`,
    'Pass the first letters of one or more words, for example "milk groc", or omit it.',
  );
}
