import * as z from 'zod';
import { readDescription, readTitle } from '../validation/arguments.ts';
import { MAX_KEY_CODE_POINTS, readDueDate, readIdempotencyKey } from '../validation/extensions.ts';
import { defineTodoTool } from './define-tool.ts';
import { changedTask, description, dueDate, parameter, title, toChangedTask, userId } from './schemas.ts';

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
      due_date: dueDate('When the task is due'),
      idempotency_key: parameter({
        type: 'string',
        description:
          'Key of your choice, for example a UUID. Repeating a call with it within 24 hours adds nothing',
        minLength: 1,
        maxLength: MAX_KEY_CODE_POINTS,
      }),
    })
    .meta({ required: ['user_id', 'title'] }),
  extensions: ['due_date', 'idempotency_key'],
  output: changedTask('created'),

  async run(args, { store, caller, changed }) {
    const task = {
      title: readTitle(args.title),
      description: readDescription(args.description) ?? null,
      dueDate: readDueDate(args.due_date) ?? null,
    };
    const key = readIdempotencyKey(args.idempotency_key);
    const added = await (await store()).add(caller, task, key);
    changed(caller.user, added.id);
    return toChangedTask(added, 'created');
  },
});
