import * as z from 'zod';
import { readTaskId } from '../validation/arguments.ts';
import { defineExtraTool, requireTask } from './define-tool.ts';
import { changedTask, nextTask, taskId, toChangedTask, toNextTask, userId } from './schemas.ts';

export const reopenTask = defineExtraTool({
  name: 'reopen_task',
  title: 'Reopen task',
  description: 'Mark a completed task as pending again. A pending task, and next_task_id, stay pending.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.object({ user_id: userId, task_id: taskId('reopen') }).meta({ required: ['user_id', 'task_id'] }),
  output: changedTask('reopened').extend(nextTask),

  async run(args, { store, caller, changed }) {
    const id = readTaskId(args.task_id);
    const task = requireTask(await (await store()).reopen(caller, id), id);
    changed(caller.user, id);
    return { ...toChangedTask(task, 'reopened'), ...toNextTask(task) };
  },
});
