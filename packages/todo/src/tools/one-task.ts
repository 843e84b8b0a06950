// The tools that read or change one task, named by its id, and take nothing else.
import { reply } from '@deskside/core';
import * as z from 'zod';
import { toTimestamp } from '../store/records.ts';
import type { Task } from '../store/task-store.ts';
import { type AuthorizedCall, defineExtraTool, defineTodoTool } from './define-tool.ts';
import { readTaskId } from '../validation/fields.ts';
import { requireTask } from '../validation/rejected-call.ts';
import { changedTask, nextTask, taskId, toChangedTask, toWholeTask, userId, wholeTask } from './schemas.ts';

const CHANGE = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false };

export const oneTask = (verb: string) =>
  z.object({ user_id: userId, task_id: taskId(verb) }).meta({ required: ['user_id', 'task_id'] });

type TaskArguments = z.output<ReturnType<typeof oneTask>>;

async function changeTask(
  { task_id: given }: TaskArguments,
  { store, caller }: AuthorizedCall,
  method: 'complete' | 'remove' | 'reopen' | 'restore',
): Promise<Task> {
  const id = readTaskId(given);
  const opened = await store();
  return requireTask(await opened[method](caller, id), id);
}

/** What a tool does that answers with the new state of the task. */
const changing = <const Status extends string>(status: Status, method: Parameters<typeof changeTask>[2]) => ({
  output: changedTask(status),
  run: async (args: TaskArguments, call: AuthorizedCall) =>
    toChangedTask(await changeTask(args, call, method), status),
});

export const getTask = defineExtraTool({
  name: 'get_task',
  title: 'Get task',
  description: 'Retrieve one task with all that is set, such as due date, priority and project.',
  annotations: { ...CHANGE, readOnlyHint: true },
  input: oneTask('retrieve'),
  output: wholeTask,

  async run(args, { store, caller }) {
    const id = readTaskId(args.task_id);
    const task = requireTask(await (await store()).get(caller, id), id);
    if (task.claim === undefined) return toWholeTask(task);
    const { by, until } = task.claim;
    // The object is the one that every list has.
    return reply(toWholeTask(task), { meta: { 'deskside/claim': { by, until: toTimestamp(until) } } });
  },
});

export const completeTask = defineTodoTool({
  name: 'complete_task',
  title: 'Complete task',
  description: 'Mark a task as complete',
  annotations: CHANGE,
  input: oneTask('complete'),
  ...changing('completed', 'complete'),
});

export const deleteTask = defineTodoTool({
  name: 'delete_task',
  title: 'Delete task',
  description: "Remove a task from the user's todo list",
  annotations: { ...CHANGE, destructiveHint: true },
  input: oneTask('delete'),
  ...changing('deleted', 'remove'),
});

export const reopenTask = defineExtraTool({
  name: 'reopen_task',
  title: 'Reopen task',
  description: 'Mark a completed task as pending again. A pending task, and next_task_id, stay pending.',
  annotations: CHANGE,
  input: oneTask('reopen'),
  output: changedTask('reopened').extend(nextTask),

  async run(args, call) {
    const task = await changeTask(args, call, 'reopen');
    return { ...toWholeTask(task), ...toChangedTask(task, 'reopened') };
  },
});

export const restoreTask = defineExtraTool({
  name: 'restore_task',
  title: 'Restore task',
  description: 'Undo the deletion of a task: it comes back with its id. Works for 30 days.',
  annotations: CHANGE,
  input: oneTask('restore'),
  ...changing('restored', 'restore'),
});
