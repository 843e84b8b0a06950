import * as z from 'zod';
import type { TaskChanges } from '../store/task-store.ts';
import { newTitle } from '../validation/fields.ts';
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

  requireBeforeTask: (args) => void changesOf(args),

  async run(args, { store, caller }) {
    const { task_id: id } = args;
    const changes = changesOf(args);
    const task = requireTask(await (await store()).update(caller, id, changes), id);
    return toChangedTask(task, 'updated');
  },
});

type Changes = {
  readonly [Field in keyof TaskChanges as Field extends 'dueDate' ? 'due_date' : Field]:
    | TaskChanges[Field]
    | undefined;
};

/** @throws RejectedCall if there are none */
function changesOf({
  title,
  description,
  due_date: dueDate,
  every,
  priority,
  after,
}: Partial<Changes>): TaskChanges {
  const changes = { title, description, dueDate, every, priority, after };
  if (Object.values(changes).some((change) => change !== undefined)) return changes;
  throw new RejectedCall('no_updates', {
    exactly: { error: 'No updates provided' },
    next: (toolName) =>
      `Pass a field of ${toolName('update_task')} with a value that its schema allows. ${toolName('complete_task')} completes a task.`,
  });
}
