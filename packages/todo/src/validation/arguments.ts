import type { FixedFailure } from '@deskside/core/errors';
import { codePointLength, escapeInvisible, isBlank } from '@deskside/core/text';
import type { TaskChanges, TaskQuery } from '../store/task-store.ts';
import { readAfter, readDueDate, readEvery, readPriority } from './extensions.ts';
import { RejectedCall } from './rejected-call.ts';

export const MAX_TITLE_CODE_POINTS = 200;
export const MAX_DESCRIPTION_CODE_POINTS = 1000;
/** Default and maximum of `limit`. */
export const MAX_PAGE_TASKS = 500;

/** Deeper values are not repeated in an answer: JSON.stringify fails on very deep ones. */
const MAX_ECHOED_LEVELS = 100;
/** Larger values are not repeated either. Counts the characters of strings and keys, and one per value. */
const MAX_ECHOED_SIZE = 200;

/** Integers as JSON writes them: `7`, not `07`, `7.0` or `7e0`. */
const INTEGER_TEXT = /^-?(?:0|[1-9]\d*)$/;

/** One user may act for the delegated users: a backend for the users that it authenticates. */
export interface Delegation {
  readonly user: string;
  readonly delegatedUsers: ReadonlySet<string>;
}

/** @returns the user that `user_id` names, or undefined if the principal may not act for that user */
export function authorizedUser(
  userId: unknown,
  principal: string,
  { user, delegatedUsers }: Delegation,
): string | undefined {
  if (userId === 'me' || userId === principal) return principal;
  const isDelegated = typeof userId === 'string' && principal === user && delegatedUsers.has(userId);
  return isDelegated ? userId : undefined;
}

/** @param principal the user of the caller, whom the answer names: the caller may know that id */
export function userNotFound(principal: string): RejectedCall {
  const own = JSON.stringify(escapeInvisible(principal));
  const next = `You act for the user ${own}: pass user_id "me" or ${own}. For another user, the person sets --user (TODO_USER_ID) to that id, or names it in --delegated-users (TODO_DELEGATED_USERS).`;
  return new RejectedCall('user_not_found', { exactly: { error: 'User not found' }, next });
}

/** @returns the trimmed title, 1 to 200 code points */
export function readTitle(value: unknown): string {
  const title = readText('Title', value === undefined ? '' : value, MAX_TITLE_CODE_POINTS);
  if (title === '') throw invalid('Title cannot be empty');
  return title;
}

/** @returns the trimmed description; null for null and a blank text, undefined if not given */
export function readDescription(value: unknown): string | null | undefined {
  if (value === undefined || value === null) return value;
  return readText('Description', value, MAX_DESCRIPTION_CODE_POINTS) || null;
}

/** A null title means: not given. A null or blank description, due date, `every` or priority clears it. */
export function readChanges(args: {
  readonly title?: unknown;
  readonly description?: unknown;
  readonly due_date?: unknown;
  readonly priority?: unknown;
  readonly after?: unknown;
  readonly every?: unknown;
}): TaskChanges {
  const title = args.title === undefined || args.title === null ? undefined : readTitle(args.title);
  const description = readDescription(args.description);
  const dueDate = readDueDate(args.due_date);
  const every = readEvery(args.every);
  const priority = readPriority(args.priority);
  const after = readAfter(args.after);
  const changes = {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(dueDate === undefined ? {} : { dueDate }),
    ...(every === undefined ? {} : { every }),
    ...(priority === undefined ? {} : { priority }),
    ...(after === undefined ? {} : { after }),
  };
  if (Object.keys(changes).length === 0) {
    throw new RejectedCall('no_updates', {
      exactly: { error: 'No updates provided' },
      next: (toolName) =>
        `Pass a field of ${toolName('update_task')} with a value that its schema allows. ${toolName('complete_task')} completes a task.`,
    });
  }
  return changes;
}

/** @returns the id, for an integer or its decimal string */
export function readTaskId(value: unknown): number {
  const id = readInteger(value);
  if (id !== undefined && Number.isSafeInteger(id)) return id;
  throw new RejectedCall('task_not_found', taskNotFound(isSmall(value) ? (value ?? null) : null));
}

/** @param given the `task_id` of the call */
export function taskNotFound(given: unknown): FixedFailure {
  return {
    exactly: { error: 'Task not found', task_id: given },
    next: (toolName) => `Call ${toolName('list_tasks')} to see valid ids.`,
  };
}

/** Any other status means all tasks, and a larger limit means the maximum. */
export function readQuery(args: {
  readonly status?: unknown;
  readonly limit?: unknown;
  readonly after_id?: unknown;
}): TaskQuery {
  const { status } = args;
  const limit = readInteger(args.limit ?? MAX_PAGE_TASKS);
  const afterId = readInteger(args.after_id);
  if (!Number.isSafeInteger(afterId) && args.after_id !== undefined && args.after_id !== null) {
    throw new RejectedCall('invalid', {
      error: 'after_id must be a task id',
      code: 'INVALID_ARGUMENT',
      hint: 'Pass the last id of the previous page as a number.',
    });
  }
  if (limit === undefined || limit < 1) {
    throw new RejectedCall('invalid', {
      error: 'limit must be an integer >= 1',
      code: 'INVALID_ARGUMENT',
      hint: `Pass a limit from 1 to ${MAX_PAGE_TASKS}, or omit it for ${MAX_PAGE_TASKS}.`,
    });
  }
  return {
    status: status === 'pending' || status === 'completed' ? status : 'all',
    limit: Math.min(limit, MAX_PAGE_TASKS),
    ...(afterId === undefined ? {} : { afterId }),
  };
}

/** @returns the integer, which can be too large to be exact, or undefined for any other value */
function readInteger(value: unknown): number | undefined {
  if (typeof value === 'string') return INTEGER_TEXT.test(value) ? Number(value) : undefined;
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}

/** @returns the trimmed text, '' for one that shows nothing; U+FFFD replaces half a surrogate pair, as in UTF-8 */
function readText(name: string, value: unknown, maxCodePoints: number): string {
  if (typeof value !== 'string') throw invalid(`${name} must be a string`);
  const text = value.trim();
  // A code point has at most two units: most texts that are too long need not be counted.
  if (text.length > 2 * maxCodePoints || codePointLength(text) > maxCodePoints) {
    throw invalid(`${name} exceeds ${maxCodePoints} characters`);
  }
  if (text.includes('\0')) throw invalid(`${name} cannot contain the character U+0000`);
  return isBlank(text) ? '' : text.toWellFormed();
}

function invalid(error: string): RejectedCall {
  return new RejectedCall('invalid', { exactly: { error } });
}

/** Whether a value is short and shallow enough to be repeated in an answer. Stops at the first excess. */
function isSmall(value: unknown): boolean {
  let size = 0;
  const fits = (inner: unknown, levels: number): boolean => {
    size += typeof inner === 'string' ? inner.length : 1;
    if (size > MAX_ECHOED_SIZE) return false;
    if (typeof inner !== 'object' || inner === null) return true;
    if (levels === 0) return false;
    if (Array.isArray(inner)) return inner.every((each) => fits(each, levels - 1));
    return Object.entries(inner).every(([key, each]) => {
      size += key.length;
      return fits(each, levels - 1);
    });
  };
  return fits(value, MAX_ECHOED_LEVELS);
}
