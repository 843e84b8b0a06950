import * as z from 'zod';
import { readTaskId } from '../validation/arguments.ts';
import { defineTodoTool, requireTask } from './define-tool.ts';
import { changedTask, taskId, toChangedTask, userId } from './schemas.ts';

export const completeTask = defineTodoTool({
  name: 'complete_task',
  title: 'Complete task',
  description: 'Mark a task as complete',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z
    .object({ user_id: userId, task_id: taskId('complete') })
    .meta({ required: ['user_id', 'task_id'] }),
  output: changedTask('completed'),

  async run(args, { store, caller, changed }) {
    const id = readTaskId(args.task_id);
    const task = requireTask(await (await store()).complete(caller, id), id);
    changed(caller.user, id);
    // The answer is the contract's. The next one is in the list, and `get_task` names it.
    if (task.nextId !== null) changed(caller.user, task.nextId);
    return toChangedTask(task, 'completed');
  },
});
