import * as z from 'zod';
import { newTitle, readTaskId } from '../validation/fields.ts';
import { RejectedCall, requireTask } from '../validation/rejected-call.ts';
import { defineTodoTool } from './define-tool.ts';
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
        newTitle,
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

  async run({ task_id: given, due_date: dueDate, ...args }, { store, caller }) {
    const { title, description, every, priority, after } = args;
    const changes = { title, description, dueDate, every, priority, after };
    if (Object.values(changes).every((change) => change === undefined))
      throw new RejectedCall('no_updates', {
        exactly: { error: 'No updates provided' },
        next: (toolName) =>
          `Pass a field of ${toolName('update_task')} with a value that its schema allows. ${toolName('complete_task')} completes a task.`,
      });
    const id = readTaskId(given);
    const task = requireTask(await (await store()).update(caller, id, changes), id);
    return toChangedTask(task, 'updated');
  },
});
