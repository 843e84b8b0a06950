import * as z from 'zod';
import { readTaskId } from '../validation/arguments.ts';
import { defineTodoTool, requireTask } from './define-tool.ts';
import { changedTask, taskId, toChangedTask, userId } from './schemas.ts';

export const deleteTask = defineTodoTool({
  name: 'delete_task',
  title: 'Delete task',
  description: "Remove a task from the user's todo list",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.object({ user_id: userId, task_id: taskId('delete') }).meta({ required: ['user_id', 'task_id'] }),
  output: changedTask('deleted'),

  async run(args, { store, caller, changed }) {
    const id = readTaskId(args.task_id);
    const task = requireTask(await (await store()).remove(caller, id), id);
    changed(caller.user, id);
    return toChangedTask(task, 'deleted');
  },
});
