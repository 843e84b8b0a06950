import { reply, textBlock, type ToolName } from '@deskside/core';
import { z } from 'zod';
import { afterIdOf, limitOf, PAGE_LIMIT, statusOf } from '../rules/page.ts';
import type { Task, TaskPage } from '../store/task-store.ts';
import { userId } from './fields.ts';
import { defineTodoTool, forUser } from './todo-tool.ts';

export const listTasks = defineTodoTool({
  name: 'list_tasks',
  title: 'List tasks',
  description: "Retrieve tasks from the user's todo list",
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z
    .object({
      user_id: userId,
      status: z
        .unknown()
        .optional()
        .meta({
          type: 'string',
          description: 'Filter by task status',
          enum: ['all', 'pending', 'completed'],
          default: 'all',
        }),
      limit: z
        .unknown()
        .optional()
        .meta({
          type: 'integer',
          description: `At most this many tasks, newest first; never more than ${PAGE_LIMIT}`,
          minimum: 1,
          default: PAGE_LIMIT,
        }),
      after_id: z.unknown().optional().meta({
        type: 'integer',
        description: 'Go on after the task with this id: the last one of a full page',
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

  async run(args, todo, ctx) {
    const page = await forUser('list_tasks', args.user_id, todo, ctx, (call) => {
      const afterId = afterIdOf(args.after_id);
      const query = { status: statusOf(args.status), limit: limitOf(args.limit) };
      return todo.store.list(call, afterId === undefined ? query : { ...query, afterId });
    });
    const tasks = page.tasks.map(answered);
    return page.remaining === 0 ? tasks : reply(tasks, wayOn(page, ctx.toolName));
  },
});

function answered({ id, title, description, completed, createdAt }: Task) {
  return { id, title, description, completed, created_at: createdAt };
}

function wayOn({ tasks, remaining }: TaskPage, toolName: ToolName) {
  const last = tasks.at(-1)?.id;
  const followUp = `${remaining} more ${remaining === 1 ? 'task follows' : 'tasks follow'}.`;
  return {
    more: [textBlock(`${followUp} Call ${toolName('list_tasks')} again with after_id ${last} to go on.`)],
    meta: { 'deskside/remaining': remaining, 'deskside/after_id': last },
  };
}
