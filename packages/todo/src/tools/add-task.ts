import { z } from 'zod';
import { changedDescription, requiredTitle } from '../rules/texts.ts';
import { outcome, outcomeOf, userId } from './fields.ts';
import { defineTodoTool, forUser } from './todo-tool.ts';

export const addTask = defineTodoTool({
  name: 'add_task',
  title: 'Add task',
  description: "Create a new task for the user's todo list",
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  input: z
    .object({
      user_id: userId,
      title: z.unknown().optional().meta({
        type: 'string',
        description: 'The task title (1-200 characters)',
        minLength: 1,
        maxLength: 200,
      }),
      description: z
        .unknown()
        .optional()
        .meta({ type: 'string', description: 'Optional task description', maxLength: 1000 }),
    })
    .meta({ required: ['user_id', 'title'] }),
  output: outcome('created'),

  run: (args, todo, ctx) =>
    forUser('add_task', args.user_id, todo, ctx, async (call) => {
      const title = requiredTitle(args.title);
      const description = changedDescription(args.description) ?? null;
      const task = await todo.store.add(call, { title, description });
      return outcomeOf(task, 'created');
    }),
});
