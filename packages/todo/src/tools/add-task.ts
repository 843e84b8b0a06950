import * as z from 'zod';
import { idempotencyKey, MAX_KEY_CODE_POINTS, title } from '../validation/fields.ts';
import { defineTodoTool } from './define-tool.ts';
import { changedTask, taskFields, toChangedTask, userId } from './schemas.ts';

export const addTask = defineTodoTool({
  name: 'add_task',
  title: 'Add task',
  description: "Create a new task for the user's todo list",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  input: z
    .object({
      user_id: userId,
      ...taskFields(title, {
        title: 'The task title (1-200 characters)',
        description: 'Optional task description',
        due_date: 'When the task is due',
        priority: '1 (highest) to 3',
        after: 'IDs of tasks to complete first',
        every: 'Comes back when done',
      }),
      idempotency_key: idempotencyKey.meta({
        type: 'string',
        description: 'Your key, for example a UUID. A call repeated with it within 24 hours adds nothing',
        minLength: 1,
        maxLength: MAX_KEY_CODE_POINTS,
      }),
    })
    .meta({ required: ['user_id', 'title'] }),
  extensions: ['due_date', 'priority', 'after', 'every', 'idempotency_key'],
  output: changedTask('created'),

  async run(args, { store, caller, agent }) {
    const task = {
      title: args.title,
      description: args.description ?? null,
      dueDate: args.due_date ?? null,
      priority: args.priority ?? null,
      after: args.after ?? [],
      every: args.every ?? null,
      project: agent.project ?? null,
    };
    const added = await (await store()).add(caller, task, args.idempotency_key);
    return toChangedTask(added, 'created');
  },
});
