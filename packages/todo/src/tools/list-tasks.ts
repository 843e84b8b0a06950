import { reply, textBlock } from '@deskside/core';
import type { ToolName } from '@deskside/core/errors';
import { z } from 'zod';
import type { Task, TaskPage } from '../store/task-store.ts';
import { MAX_PAGE_TASKS, readQuery } from '../validation/arguments.ts';
import { defineTodoTool } from './define-tool.ts';
import { parameter, userId } from './schemas.ts';

export const listTasks = defineTodoTool({
  name: 'list_tasks',
  title: 'List tasks',
  description: "Retrieve tasks from the user's todo list",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z
    .object({
      user_id: userId,
      status: parameter({
        type: 'string',
        description: 'Filter by task status',
        enum: ['all', 'pending', 'completed'],
        default: 'all',
      }),
      limit: parameter({
        type: 'integer',
        description: `Maximum number of tasks to return, newest first (max ${MAX_PAGE_TASKS})`,
        minimum: 1,
        default: MAX_PAGE_TASKS,
      }),
      after_id: parameter({
        type: 'integer',
        description: 'Cursor: return tasks after this id (the last id of the previous page)',
      }),
    })
    .meta({ required: ['user_id'] }),
  output: z.array(
    z.object({
      id: z.int(),
      title: z.string(),
      description: z.string().nullable(),
      completed: z.boolean(),
      created_at: z.string().meta({ format: 'date-time' }),
    }),
  ),

  async run(args, { store, caller, toolName }) {
    const query = readQuery(args);
    const page = await (await store()).list(caller, query);
    const tasks = page.tasks.map(toListedTask);
    return page.remaining === 0 ? tasks : reply(tasks, nextPageNote(page, toolName));
  },
});

function toListedTask({ id, title, description, completed, createdAt }: Task) {
  return { id, title, description, completed, created_at: createdAt };
}

function nextPageNote({ tasks, remaining }: TaskPage, toolName: ToolName) {
  const afterId = tasks.at(-1)?.id;
  const followUp = `${remaining} more ${remaining === 1 ? 'task follows' : 'tasks follow'}.`;
  return {
    more: [textBlock(`${followUp} Call ${toolName('list_tasks')} again with after_id ${afterId} to go on.`)],
    meta: { 'deskside/remaining': remaining, 'deskside/after_id': afterId },
  };
}
