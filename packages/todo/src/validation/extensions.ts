import { codePointLength } from '@deskside/core/text';
import { parseWallTime } from '@deskside/core/dates';
import type { TaskQuery } from '../store/task-store.ts';
import { everyOf } from '../store/recurrence.ts';
import { wordsOf } from '../store/words.ts';
import { invalidArgument } from './rejected-call.ts';

export const MAX_KEY_CODE_POINTS = 200;

/** More words than a person searches for; each one is a look into the index. */
const MAX_QUERY_WORDS = 20;
const MAX_QUERY_CODE_POINTS = 200;

const PRIORITIES = [1, 2, 3];
const MAX_AFTER = 20;
export const DEFAULT_LEASE_MINUTES = 30;
export const MAX_LEASE_MINUTES = 1440;
const MINUTE_MS = 60_000;

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

/** @returns `2 weeks`; null for null and a blank text, undefined if not given */
export function readEvery(value: unknown, argument = 'every'): string | null | undefined {
  if (value === undefined || value === null) return value;
  if (typeof value === 'string' && value.trim() === '') return null;
  const every = typeof value === 'string' ? everyOf(value) : undefined;
  if (every === undefined) {
    throw invalidArgument(
      `${argument} must be day, weekday, week, month or year, 2 to 99 days, weeks, months or years, or days such as mon and thu`,
      `Pass ${argument} as text, for example "week", "2 weeks", "month on 31" or "mon and thu".`,
    );
  }
  return every;
}

/** @returns null for null and 0, undefined for any other value: a contract-only call may have such an argument */
export function readPriority(value: unknown): number | null | undefined {
  if (value === null || value === 0 || value === '0') return null;
  return PRIORITIES.find((priority) => priority === value || String(priority) === value);
}

/** @returns ids of tasks, each one once; undefined if not given */
export function readAfter(value: unknown): readonly number[] | undefined {
  if (value === undefined || value === null) return undefined;
  const ids = Array.isArray(value) ? value.map(Number) : [];
  if (!Array.isArray(value) || ids.length > MAX_AFTER || !ids.every(isTaskId)) {
    throw invalidArgument(
      `after must be a list of up to ${MAX_AFTER} task ids`,
      'Pass the ids as numbers, for example [3, 4].',
    );
  }
  return [...new Set(ids)];
}

/** @returns milliseconds */
export function readLease(value: unknown): number {
  const minutes = Number(value ?? DEFAULT_LEASE_MINUTES);
  if (!Number.isInteger(minutes) || minutes < 1) {
    throw invalidArgument(
      'lease_minutes must be an integer >= 1',
      `Pass a number from 1 to ${MAX_LEASE_MINUTES}, or omit it for ${DEFAULT_LEASE_MINUTES}.`,
    );
  }
  return Math.min(minutes, MAX_LEASE_MINUTES) * MINUTE_MS;
}

function isTaskId(id: number): boolean {
  return Number.isSafeInteger(id) && id > 0;
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

/** Reads the filters of a list beyond the contract. Null and blank texts mean: not given. */
export function readSearch(args: {
  readonly query?: unknown;
  readonly due_by?: unknown;
  readonly ready?: unknown;
  readonly project?: unknown;
}): Pick<TaskQuery, 'words' | 'dueBy' | 'ready' | 'project'> {
  const words = readWords(args.query ?? '');
  const project = readProject(args.project);
  const dueBy = readDueDate(args.due_by, 'due_by');
  return {
    ...(words === undefined ? {} : { words }),
    ...(dueBy === undefined || dueBy === null ? {} : { dueBy }),
    ...(args.ready === true || args.ready === 'true' ? { ready: true } : {}),
    ...(project === undefined ? {} : { project }),
  };
}

/** @returns undefined if not given */
export function readProject(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string' && !value.includes('\0')) return value.toWellFormed();
  throw invalidArgument('project must be a text', 'Pass the name of a project, or omit it.');
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
