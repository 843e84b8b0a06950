import { z } from 'zod';
import { outcome, outcomeOf, taskId, userId } from './fields.ts';
import { defineTodoTool, onTask } from './todo-tool.ts';

export const completeTask = defineTodoTool({
  name: 'complete_task',
  title: 'Complete task',
  description: 'Mark a task as complete',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z
    .object({ user_id: userId, task_id: taskId('complete') })
    .meta({ required: ['user_id', 'task_id'] }),
  output: outcome('completed'),

  async run(args, todo, ctx) {
    const task = await onTask(
      'complete_task',
      args,
      todo,
      ctx,
      (call) => (id) => todo.store.complete(call, id),
    );
    return outcomeOf(task, 'completed');
  },
});
