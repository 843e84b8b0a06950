import { type Command, type CommandContext, defineCommand } from '@deskside/core/cli';
import { StartError } from '@deskside/core/errors';
import { escapeInvisible } from '@deskside/core/text';
import * as z from 'zod';
import type { Task, TaskStore } from '../store/task-store.ts';
import { toTaskWithDueDate } from '../tools/schemas.ts';
import { readDescription, readTaskId, readTitle, taskNotFound } from '../validation/arguments.ts';
import { readDueDate } from '../validation/extensions.ts';
import { RejectedCall } from '../validation/rejected-call.ts';
import { DATE_FORMS, localToday, personDate } from './due-date.ts';
import { jsonFlag, storeOptions, withStore } from './with-store.ts';

export const add = defineCommand({
  options: storeOptions,
  flags: {
    description: z.string().optional().meta({ placeholder: 'TEXT', description: 'Description of the task.' }),
    due: z
      .string()
      .optional()
      .meta({
        placeholder: 'DATE',
        description: `When the task is due: ${DATE_FORMS}.`,
      }),
    ...jsonFlag,
  },
  operands: 'TITLE...',
  details: 'Everything after -- is part of the title, even if it looks like an option.',
  examples: ['deskside-todo add Buy groceries --due tomorrow'],
  async run({ description, due, json, ...settings }, context) {
    const added = await withStore(settings, 'add', (store, caller) => {
      const title = readTitle(context.operands.join(' '));
      const task = {
        title,
        description: readDescription(description) ?? null,
        dueDate:
          due === undefined ? null : (readDueDate(personDate(due, localToday(), '--due'), '--due') ?? null),
      };
      return store.add(caller, task);
    });
    report('Added', [added], json, context);
  },
});

export const done = changeCommand('done', 'Completed', 'complete');
export const reopen = changeCommand('reopen', 'Reopened', 'reopen');
export const remove = changeCommand(
  'delete',
  'Deleted',
  'remove',
  'A deleted task can be restored for 30 days.',
);
export const restore = changeCommand('restore', 'Restored', 'restore');

function changeCommand(
  name: string,
  result: string,
  method: 'complete' | 'reopen' | 'remove' | 'restore',
  details?: string,
): Command {
  return defineCommand({
    options: storeOptions,
    flags: jsonFlag,
    operands: 'ID...',
    ...(details === undefined ? {} : { details }),
    examples: [`deskside-todo ${name} 3`, `deskside-todo ${name} 3 4 5`],
    async run({ json, ...settings }, context) {
      if (context.operands.length === 0) throw new StartError(`Missing id. Usage: ${name} ID...`);
      const changed: Task[] = [];
      try {
        await withStore(settings, name, async (store, caller) => {
          for (const operand of context.operands) {
            const id = readTaskId(operand);
            changed.push(existing(await (store as Pick<TaskStore, typeof method>)[method](caller, id), id));
          }
        });
      } finally {
        // What was changed before an id that does not exist is reported too.
        report(result, changed, json, context);
      }
    },
  });
}

function existing(task: Task | undefined, id: number): Task {
  if (task === undefined) throw new RejectedCall('task_not_found', taskNotFound(id), id);
  return task;
}

function report(result: string, tasks: readonly Task[], json: boolean, { print }: CommandContext): void {
  if (json) print(JSON.stringify(tasks.map(toTaskWithDueDate), undefined, 2));
  else for (const { id, title } of tasks) print(`${result} task ${id}: ${escapeInvisible(title)}`);
}
