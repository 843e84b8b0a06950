import { reply, textBlock } from '@deskside/core';
import * as z from 'zod';
import * as fields from '../validation/fields.ts';
import { defineTodoTool } from './define-tool.ts';
import { fittingTasks, listedTask, taskDetails, toListedTask, toTaskDetails, userId } from './schemas.ts';

export const listTasks = defineTodoTool({
  name: 'list_tasks',
  title: 'List tasks',
  description: "Retrieve tasks from the user's todo list",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z
    .object({
      user_id: userId,
      status: fields.status.meta({
        type: 'string',
        description: 'Filter by task status',
        enum: ['all', 'pending', 'completed'],
        default: 'all',
      }),
      limit: fields.limit.meta({
        type: 'integer',
        description: `Maximum number of tasks to return, newest first (max ${fields.MAX_PAGE_TASKS})`,
        minimum: 1,
        default: fields.MAX_PAGE_TASKS,
      }),
      after_id: fields.afterId.meta({
        type: 'integer',
        description: 'Cursor: return tasks after this id (the last id of the previous page)',
      }),
      query: fields.query.meta({
        type: 'string',
        description: 'Words: each begins a word of the title or description',
        examples: ['milk groc'],
      }),
      due_by: fields.dueDate('due_by').meta({
        type: 'string',
        description: 'Only tasks due by this date, for example 2026-11-30',
        format: 'date',
      }),
      ready: fields.ready.meta({
        type: 'boolean',
        description: 'Only pending tasks that are not claimed and wait for no other task',
      }),
      project: fields.project.meta({
        type: 'string',
        description: 'Only tasks added in this project, for example my-app',
      }),
    })
    .meta({ required: ['user_id'] }),
  extensions: ['query', 'due_by', 'ready', 'project'],
  output: z.array(listedTask.extend(taskDetails.shape)),

  async run(args, { store, caller, toolName }) {
    const { status, limit, after_id: afterId, query: words, due_by: dueBy, ready, project } = args;
    const query = { status, limit, afterId, words, dueBy: dueBy ?? undefined, ready, project };
    const page = await (await store()).list(caller, query);
    const hasDetails = words !== undefined || ready || project !== undefined;
    const all = page.tasks.map((task) => ({
      ...toListedTask(task),
      ...(hasDetails ? toTaskDetails(task) : {}),
    }));
    const tasks = fittingTasks(all);
    const remaining = page.remaining + all.length - tasks.length;
    if (remaining === 0) return tasks;
    const next = tasks.at(-1)?.id;
    const follow = remaining === 1 ? 'task follows' : 'tasks follow';
    const advice = `Call ${toolName('list_tasks')} again with after_id ${next} to go on.`;
    return reply(tasks, {
      more: [textBlock(`${remaining} more ${follow}. ${advice}`)],
      meta: { 'deskside/remaining': remaining, 'deskside/after_id': next },
    });
  },
});
