import type { RequestContext } from '@deskside/core';
import { allPending } from '../store/due-order.ts';
import { localDate } from '../store/recurrence.ts';
import type { CallerContext, Task } from '../store/task-store.ts';
import type { Todo } from '../todo.ts';

/** Pending tasks of the principal that are due today or earlier. */
export interface DueTasks {
  /** Today on the clock of this machine: `2026-11-30`. */
  readonly date: string;
  /** The longest due first. */
  readonly tasks: readonly Task[];
}

export async function dueTasks(todo: Todo, ctx: RequestContext, tool: string): Promise<DueTasks> {
  const date = localDate(todo.now());
  return { date, tasks: await allPending(await todo.store(), ownCall(ctx, tool), date) };
}

/** A call for the principal's own tasks. */
export function ownCall({ principal, signal }: RequestContext, tool: string): CallerContext {
  return { actor: principal.user, user: principal.user, tool, signal };
}
