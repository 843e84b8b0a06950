import { z } from 'zod';
import { outcome, outcomeOf, taskId, userId } from './fields.ts';
import { defineTodoTool, onTask } from './todo-tool.ts';

export const deleteTask = defineTodoTool({
  name: 'delete_task',
  title: 'Delete task',
  description: "Remove a task from the user's todo list",
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.object({ user_id: userId, task_id: taskId('delete') }).meta({ required: ['user_id', 'task_id'] }),
  output: outcome('deleted'),

  async run(args, todo, ctx) {
    const task = await onTask('delete_task', args, todo, ctx, (call) => (id) => todo.store.remove(call, id));
    return outcomeOf(task, 'deleted');
  },
});
