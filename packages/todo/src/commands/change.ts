import { choiceField, type Command, type CommandContext } from '@deskside/core/program';
import { StartError } from '@deskside/core/errors';
import { escapeInvisible } from '@deskside/core/text';
import * as z from 'zod';
import { givenIn } from '../store/records.ts';
import type { Task, TaskStore } from '../store/task-store.ts';
import { toListedTask, toWholeTask } from '../tools/schemas.ts';
import * as fields from '../validation/fields.ts';
import { requireTask } from '../validation/rejected-call.ts';
import { DATE_FORMS, localToday, personDate } from './due-date.ts';
import { detailLines, printResult, type Screen } from './table.ts';
import { jsonFlag, storeCommand } from './store-command.ts';

const taskFlags = {
  description: z.string().optional().meta({ placeholder: 'TEXT', description: 'Description of the task.' }),
  due: z
    .string()
    .optional()
    .meta({ placeholder: 'DATE', description: `When the task is due: ${DATE_FORMS}.` }),
  priority: choiceField(['1', '2', '3', 'none'])
    .optional()
    .meta({ placeholder: 'NUMBER', description: '1 (highest), 2, 3 or none.' }),
  every: z.string().optional().meta({
    placeholder: 'TIME',
    description:
      'How often the task comes back: day, weekday, week, 2 weeks, month, year. Completing it adds the next one.',
  }),
};

export const add = storeCommand('add', {
  flags: { ...taskFlags, ...jsonFlag },
  operands: 'TITLE...',
  details: 'Everything after -- is part of the title, even if it looks like an option.',
  examples: [
    'deskside-todo add Buy groceries --due tomorrow',
    'deskside-todo add Water the plants --due fri --every "2 weeks"',
  ],
  async run({ json, ...flags }, context) {
    const { store, caller, operands } = context;
    const title = fields.read(fields.title, operands.join(' '));
    const changes = readTaskFlags(flags);
    const added = await store.add(caller, { title, description: null, ...givenIn(changes) });
    report('Added', [added], json, context);
  },
});

export const edit = storeCommand('edit', {
  flags: {
    title: z.string().optional().meta({ placeholder: 'TEXT', description: 'Title of the task.' }),
    ...taskFlags,
    ...jsonFlag,
  },
  operands: 'ID',
  details: 'Changes what you name. An empty text clears a description, --due or --every.',
  examples: ['deskside-todo edit 3 --due +1w', 'deskside-todo edit 3 --title "Call mom" --description ""'],
  async run({ json, title, ...flags }, context) {
    const { store, caller, operands } = context;
    const id = fields.readTaskId(operands[0] ?? '');
    const changes = { title: fields.read(fields.newTitle, title), ...readTaskFlags(flags) };
    if (Object.keys(givenIn(changes)).length === 0)
      throw new StartError('Nothing to change. Pass --title, --description, --due, --every or --priority.');
    const edited = requireTask(await store.update(caller, id, changes), id);
    report('Changed', [edited], json, context);
  },
});

type TaskFlags = z.output<z.ZodObject<typeof taskFlags>>;

function readTaskFlags({ description, due, priority, every }: TaskFlags) {
  const date = due && personDate(due, localToday(), '--due');
  return {
    description: fields.read(fields.description, description),
    dueDate: fields.read(fields.dueDate('--due'), date),
    every: fields.read(fields.every('--every'), every),
    priority: priority === 'none' ? null : priority && Number(priority),
  };
}

export const show = storeCommand('show', {
  flags: jsonFlag,
  operands: 'ID',
  details: 'Prints all of a task.',
  examples: ['deskside-todo show 3'],
  async run({ json }, context) {
    const { store, caller, operands } = context;
    const id = fields.readTaskId(operands[0] ?? '');
    const task = requireTask(await store.get(caller, id), id);
    const lines = (screen: Screen) => detailLines(task, localToday(), screen);
    printResult({ json, value: toWholeTask(task), lines }, context);
  },
});

export const done = changeCommand('done', 'Completed', 'complete');
export const reopen = changeCommand('reopen', 'Reopened', 'reopen');
export const remove = changeCommand(
  'delete',
  'Deleted',
  'remove',
  'A deleted task can be restored for 30 days. Delete its text at once with "deskside-todo forget".',
);
export const forget = changeCommand(
  'forget',
  'Deleted for good',
  'removeForGood',
  'Deletes tasks, also deleted ones. They cannot be restored.',
);
export const restore = changeCommand('restore', 'Restored', 'restore');

function changeCommand(
  name: string,
  result: string,
  method: 'complete' | 'reopen' | 'remove' | 'removeForGood' | 'restore',
  details?: string,
): Command {
  return storeCommand(name, {
    flags: jsonFlag,
    operands: 'ID...',
    ...(details === undefined ? {} : { details }),
    examples: [`deskside-todo ${name} 3`, `deskside-todo ${name} 3 4 5`],
    async run({ json }, context) {
      const { store, caller, operands } = context;
      if (operands.length === 0) throw new StartError(`Missing id. Usage: ${name} ID...`);
      const changed: Task[] = [];
      const following: Task[] = [];
      try {
        for (const operand of operands) {
          const id = fields.readTaskId(operand);
          const task = requireTask(await (store as Pick<TaskStore, typeof method>)[method](caller, id), id);
          changed.push(task);
          const isNamed = task.nextId !== null && (method === 'complete' || method === 'reopen');
          const next = isNamed ? await store.get(caller, task.nextId) : undefined;
          if (next?.completed === false) following.push(next);
        }
      } finally {
        // What was changed before an id that does not exist is reported too.
        report(result, changed, json, context);
        for (const { id, title, dueDate } of following) {
          const due = dueDate === null ? '' : `, due ${dueDate}`;
          context.note(`The next one is open: task ${id}, ${escapeInvisible(title)}${due}`);
        }
      }
    },
  });
}

function report(result: string, tasks: readonly Task[], json: boolean, context: CommandContext): void {
  const lines = () => tasks.map(({ id, title }) => `${result} task ${id}: ${escapeInvisible(title)}`);
  printResult({ json, value: tasks.map(toListedTask), lines }, context);
}
