import { z } from 'zod';
import { readDescription, readTitle } from '../validation/arguments.ts';
import { defineTodoTool } from './define-tool.ts';
import { changedTask, description, title, toChangedTask, userId } from './schemas.ts';

export const addTask = defineTodoTool({
  name: 'add_task',
  title: 'Add task',
  description: "Create a new task for the user's todo list",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  input: z
    .object({
      user_id: userId,
      title: title('The task title (1-200 characters)'),
      description: description('Optional task description'),
    })
    .meta({ required: ['user_id', 'title'] }),
  output: changedTask('created'),

  async run(args, { store, caller }) {
    const task = { title: readTitle(args.title), description: readDescription(args.description) ?? null };
    return toChangedTask(await (await store()).add(caller, task), 'created');
  },
});
