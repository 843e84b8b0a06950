import { type RequestContext, type Resource, type ResourceTemplate, templateDefiner } from '@deskside/core';
import { allPending, allTasks } from '../store/due-order.ts';
import { localDate } from '../store/recurrence.ts';
import type { CallerContext } from '../store/task-store.ts';
import { wordsOf } from '../store/words.ts';
import { TASK_URI_TEMPLATE, type Todo, TODAY_URI } from '../todo.ts';
import { fittingTasks, toListedTask, toWholeTask } from '../tools/schemas.ts';

const MAX_SUGGESTIONS = 100;

/** Ids as JSON writes them. */
const ID = /^[1-9]\d{0,15}$/;

export const tasksToday: Resource<Todo> = {
  uri: TODAY_URI,
  name: 'tasks_today',
  title: 'Tasks for today',
  description: 'Your pending tasks that are due today or earlier.',
  mimeType: 'application/json',
  async read(todo, ctx) {
    const { date, tasks } = await dueTasks(todo, ctx, 'read_today');
    const shown = fittingTasks(tasks.map(toListedTask));
    return JSON.stringify({ date, tasks: shown, remaining: tasks.length - shown.length });
  },
};

export const taskById: ResourceTemplate<Todo> = templateDefiner<Todo>()({
  uriTemplate: TASK_URI_TEMPLATE,
  name: 'task',
  title: 'Task',
  description: 'One of your tasks.',
  mimeType: 'application/json',
  complete: {
    /** Ids that start with the value, or of tasks that contain its words. */
    async id(value, _args, todo, ctx) {
      const [store, call] = [await todo.store(), ownCall(ctx, 'complete_id')];
      if (ID.test(value)) {
        const ids = (await allTasks(store, call, { status: 'all' })).map(({ id }) => String(id));
        // 12, 129 to 120, 1299 to 1200, and so on.
        const found = ids.filter((id) => id.startsWith(value)).toSorted((a, b) => a.length - b.length);
        return found.slice(0, MAX_SUGGESTIONS);
      }
      const words = wordsOf(value);
      if (words.length === 0 && value !== '') return [];
      const query = words.length === 0 ? {} : { words };
      const { tasks } = await store.list(call, { status: 'all', limit: MAX_SUGGESTIONS, ...query });
      return tasks.map(({ id }) => String(id));
    },
  },
  async read({ id }, todo, ctx) {
    if (!ID.test(id)) return undefined;
    const task = await (await todo.store()).get(ownCall(ctx, 'read_task'), Number(id));
    return task && JSON.stringify(toWholeTask(task));
  },
});

/** @returns today on the clock of this machine, and what is due today or earlier, the longest due first */
export async function dueTasks(todo: Todo, ctx: RequestContext, tool: string) {
  const date = localDate(todo.now());
  return { date, tasks: await allPending(await todo.store(), ownCall(ctx, tool), date) };
}

/** A call for the principal's own tasks. */
export function ownCall({ principal, signal }: RequestContext, tool: string): CallerContext {
  return { actor: principal.user, user: principal.user, tool, signal };
}
