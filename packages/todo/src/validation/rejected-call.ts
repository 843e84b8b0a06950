import { type FixedFailure, UserError } from '@deskside/core/errors';
import { escapeInvisible } from '@deskside/core/text';
import type { RejectionReason, Task } from '../store/task-store.ts';

/** A call that validation rejects: the answer for the model, and the reason for the audit. */
export class RejectedCall extends UserError {
  readonly reason: RejectionReason;

  constructor(reason: RejectionReason, failure: ConstructorParameters<typeof UserError>[0]) {
    super(failure);
    this.reason = reason;
  }
}

/** @param message of a schema in fields.ts */
export function rejectionOf(message: string): RejectedCall {
  const [error = '', hint] = message.split('\n');
  const failure =
    hint === undefined ? { exactly: { error } } : { error, code: 'INVALID_ARGUMENT' as const, hint };
  return new RejectedCall('invalid', failure);
}

/** @param given the `task_id` of the call */
export function taskNotFound(given: unknown): FixedFailure {
  return {
    exactly: { error: 'Task not found', task_id: isSmall(given) ? (given ?? null) : null },
    next: (toolName) => `Call ${toolName('list_tasks')} to see valid ids.`,
  };
}

/** The store itself counts a call for a task that does not exist. @throws UserError */
export function requireTask(task: Task | undefined, id: number): Task {
  if (task === undefined) throw new UserError(taskNotFound(id));
  return task;
}

/** Deeper values are not repeated in an answer: JSON.stringify fails on very deep ones. */
const MAX_ECHOED_LEVELS = 100;
/** Larger values are not repeated either. Counts the characters of strings and keys, and one per value. */
const MAX_ECHOED_SIZE = 200;

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

/** @param principal the user of the caller, whom the answer names: the caller may know that id */
export function userNotFound(principal: string): RejectedCall {
  const own = JSON.stringify(escapeInvisible(principal));
  const next = `You act for the user ${own}: pass user_id "me" or ${own}. For another user, the person sets --user (TODO_USER_ID) to that id, or names it in --delegated-users (TODO_DELEGATED_USERS).`;
  return new RejectedCall('user_not_found', { exactly: { error: 'User not found' }, next });
}
