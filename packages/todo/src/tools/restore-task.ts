import * as z from 'zod';
import { readTaskId } from '../validation/arguments.ts';
import { defineExtraTool, requireTask } from './define-tool.ts';
import { changedTask, taskId, toChangedTask, userId } from './schemas.ts';

export const restoreTask = defineExtraTool({
  name: 'restore_task',
  title: 'Restore task',
  description: 'Undo the deletion of a task: it comes back with its id. Works for 30 days.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.object({ user_id: userId, task_id: taskId('restore') }).meta({ required: ['user_id', 'task_id'] }),
  output: changedTask('restored'),

  async run(args, { store, caller, changed }) {
    const id = readTaskId(args.task_id);
    const task = requireTask(await (await store()).restore(caller, id), id);
    changed(caller.user, id);
    return toChangedTask(task, 'restored');
  },
});
