import type { RequestContext } from '@deskside/core';
import type { CallerContext, Task } from '../store/task-store.ts';
import { localDate } from '../store/recurrence.ts';
import type { Todo } from '../todo.ts';

const MAX_DUE_TASKS = 500;

/** Pending tasks of the principal that are due today or earlier. */
export interface DueTasks {
  /** Today on the clock of this machine: `2026-11-30`. */
  readonly date: string;
  /** The longest due first. */
  readonly tasks: readonly Task[];
  /** How many more there are, at least. */
  readonly remaining: number;
}

export async function dueTasks(todo: Todo, ctx: RequestContext, tool: string): Promise<DueTasks> {
  const date = localDate(todo.now());
  const query = { status: 'pending', limit: MAX_DUE_TASKS, dueBy: date } as const;
  const { tasks, remaining } = await (await todo.store()).list(ownCall(ctx, tool), query);
  return { date, tasks: tasks.toSorted(byDueDate), remaining };
}

/** A call for the principal's own tasks. */
export function ownCall({ principal, signal }: RequestContext, tool: string): CallerContext {
  return { actor: principal.user, user: principal.user, tool, signal };
}

function byDueDate(one: Task, other: Task): number {
  return (one.dueDate ?? '').localeCompare(other.dueDate ?? '') || one.id - other.id;
}
