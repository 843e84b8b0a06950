import { z } from 'zod';
import { Refused } from '../rules/refused.ts';
import { changedDescription, changedTitle } from '../rules/texts.ts';
import type { TaskChanges } from '../store/task-store.ts';
import { outcome, outcomeOf, taskId, userId } from './fields.ts';
import { defineTodoTool, onTask } from './todo-tool.ts';

export const updateTask = defineTodoTool({
  name: 'update_task',
  title: 'Update task',
  description: "Update a task's title or description",
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z
    .object({
      user_id: userId,
      task_id: taskId('update'),
      title: z.unknown().optional().meta({
        type: 'string',
        description: 'New task title (optional)',
        minLength: 1,
        maxLength: 200,
      }),
      description: z.unknown().optional().meta({
        type: 'string',
        description: 'New task description (optional)',
        maxLength: 1000,
      }),
    })
    .meta({ required: ['user_id', 'task_id'] }),
  output: outcome('updated'),

  async run(args, todo, ctx) {
    const task = await onTask('update_task', args, todo, ctx, (call) => {
      const changes = changesIn(args);
      return (id) => todo.store.update(call, id, changes);
    });
    return outcomeOf(task, 'updated');
  },
});

function changesIn(args: { readonly title?: unknown; readonly description?: unknown }): TaskChanges {
  const title = changedTitle(args.title);
  const description = changedDescription(args.description);
  if (title === undefined && description === undefined) {
    throw new Refused('no_updates', { exactly: { error: 'No updates provided' } });
  }
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
  };
}
