import * as z from 'zod';
import { readChanges, readTaskId } from '../validation/arguments.ts';
import { defineTodoTool, requireTask } from './define-tool.ts';
import { changedTask, taskFields, taskId, toChangedTask, userId } from './schemas.ts';

export const updateTask = defineTodoTool({
  name: 'update_task',
  title: 'Update task',
  description: "Update a task's title or description",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z
    .object({
      user_id: userId,
      task_id: taskId('update'),
      ...taskFields(
        {
          title: 'New task title (optional)',
          description: 'New task description (optional)',
          due_date: 'New due date (optional), "" for none',
          priority: 'New priority (optional), 0 for none',
          after: 'New IDs of tasks to complete first (optional), [] for none',
          every: 'Comes back ("": never)',
        },
        true,
      ),
    })
    .meta({ required: ['user_id', 'task_id'] }),
  extensions: ['due_date', 'priority', 'after', 'every'],
  output: changedTask('updated'),

  async run(args, { store, caller, changed }) {
    // The id comes last: the contract reports wrong texts first.
    const changes = readChanges(args);
    const id = readTaskId(args.task_id);
    const task = requireTask(await (await store()).update(caller, id, changes), id);
    changed(caller.user, id);
    return toChangedTask(task, 'updated');
  },
});
