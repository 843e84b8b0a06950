import type { CallerContext, Task, TaskQuery, TaskStore } from './task-store.ts';

const READ_AT_ONCE = 500;

/** After every date. */
const NO_DATE = '9999-99';
/** After every priority. */
const NO_PRIORITY = 4;

/** All pending tasks, or those that are due: by date, then by priority. Without a date the newest come first. */
export async function allPending(
  store: TaskStore,
  caller: CallerContext,
  dueBy?: string,
): Promise<readonly Task[]> {
  return (await allTasks(store, caller, { status: 'pending', dueBy })).toSorted(byDueDate);
}

/** Newest first. */
export async function allTasks(
  store: TaskStore,
  caller: CallerContext,
  query: Omit<TaskQuery, 'limit'>,
): Promise<readonly Task[]> {
  const found: Task[] = [];
  for (;;) {
    const page = await store.list(caller, { ...query, limit: READ_AT_ONCE, afterId: found.at(-1)?.id });
    found.push(...page.tasks);
    if (page.remaining === 0 || page.tasks.length === 0) return found;
  }
}

/** The order in which a person does pending tasks. */
export function byDueDate(a: Task, b: Task): number {
  const [dateOfA, dateOfB] = [a.dueDate ?? NO_DATE, b.dueDate ?? NO_DATE];
  if (dateOfA !== dateOfB) return dateOfA < dateOfB ? -1 : 1;
  const order = (a.priority ?? NO_PRIORITY) - (b.priority ?? NO_PRIORITY);
  return order || (a.dueDate === null ? b.id - a.id : a.id - b.id);
}
