import { z } from 'zod';
import { readChanges, readTaskId } from '../validation/arguments.ts';
import { defineTodoTool, requireTask } from './define-tool.ts';
import { changedTask, description, taskId, title, toChangedTask, userId } from './schemas.ts';

export const updateTask = defineTodoTool({
  name: 'update_task',
  title: 'Update task',
  description: "Update a task's title or description",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z
    .object({
      user_id: userId,
      task_id: taskId('update'),
      title: title('New task title (optional)'),
      description: description('New task description (optional)'),
    })
    .meta({ required: ['user_id', 'task_id'] }),
  output: changedTask('updated'),

  async run(args, { store, caller }) {
    // The id comes last: the contract reports wrong texts first.
    const changes = readChanges(args);
    const id = readTaskId(args.task_id);
    return toChangedTask(requireTask(await (await store()).update(caller, id, changes), id), 'updated');
  },
});
