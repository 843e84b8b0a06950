import { UserError } from '@deskside/core/errors';
import type { CallerContext, Task, TaskPage, TaskQuery, TaskStore } from '../store/task-store.ts';
import { MAX_PAGE_TASKS, taskNotFound } from '../validation/arguments.ts';

/** After every date. */
const NO_DATE = '9999-99';
/** After every priority. */
const NO_PRIORITY = 4;

/** Where a page begins and ends: `after` is the id of the last task of the page before. */
interface PendingQuery extends Pick<TaskQuery, 'limit' | 'dueBy'> {
  readonly after?: number | undefined;
}

/**
 * A page of the pending tasks in the order in which a person does them.
 *
 * @throws UserError if `after` does not exist
 */
export async function pendingPage(
  store: TaskStore,
  caller: CallerContext,
  { limit, dueBy, after }: PendingQuery,
): Promise<TaskPage> {
  const all = await allPending(store, caller, dueBy);
  const last = after === undefined ? undefined : await store.get(caller, after);
  if (after !== undefined && last === undefined) throw new UserError(taskNotFound(after));
  const rest = last === undefined ? all : all.filter((task) => byDueDate(last, task) < 0);
  return { tasks: rest.slice(0, limit), remaining: Math.max(0, rest.length - limit) };
}

/** All pending tasks, or those that are due: by date, then by priority. Without a date the newest come first. */
export async function allPending(
  store: TaskStore,
  caller: CallerContext,
  dueBy?: string,
): Promise<readonly Task[]> {
  const query = { status: 'pending', ...(dueBy === undefined ? {} : { dueBy }) } as const;
  return (await allTasks(store, caller, query)).toSorted(byDueDate);
}

/** Newest first. */
export async function allTasks(
  store: TaskStore,
  caller: CallerContext,
  query: Omit<TaskQuery, 'limit'>,
): Promise<readonly Task[]> {
  const found: Task[] = [];
  for (;;) {
    const afterId = found.at(-1)?.id;
    const after = afterId === undefined ? {} : { afterId };
    const page = await store.list(caller, { ...query, limit: MAX_PAGE_TASKS, ...after });
    found.push(...page.tasks);
    if (page.remaining === 0 || page.tasks.length === 0) return found;
  }
}

function byDueDate(a: Task, b: Task): number {
  const [dateOfA, dateOfB] = [a.dueDate ?? NO_DATE, b.dueDate ?? NO_DATE];
  if (dateOfA !== dateOfB) return dateOfA < dateOfB ? -1 : 1;
  const order = (a.priority ?? NO_PRIORITY) - (b.priority ?? NO_PRIORITY);
  return order || (a.dueDate === null ? b.id - a.id : a.id - b.id);
}
