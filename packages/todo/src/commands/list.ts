import { choiceField, integerField } from '@deskside/core/program';
import { StartError } from '@deskside/core/errors';
import * as z from 'zod';
import { allPending, byDueDate } from '../store/due-order.ts';
import type { Task, TaskQuery } from '../store/task-store.ts';
import { toListedTask } from '../tools/schemas.ts';
import { dueDate, MAX_PAGE_TASKS, query, read } from '../validation/fields.ts';
import { requireTask } from '../validation/rejected-call.ts';
import { DATE_FORMS, localToday, personDate } from './due-date.ts';
import { groupedLines, printResult, type Screen, taskLines } from './table.ts';
import { jsonFlag, type StoreContext, storeCommand } from './store-command.ts';

const NO_TASKS = 'No tasks. To add one: add Buy groceries --due tomorrow. To see all: list --status all';
const STATUSES = ['pending', 'completed', 'all'] as const;

const pageFlags = (status: (typeof STATUSES)[number]) => ({
  status: choiceField(STATUSES)
    .default(status)
    .meta({ placeholder: 'STATUS', description: `Which tasks: ${STATUSES.join(', ')}.` }),
  dueBy: z
    .string()
    .optional()
    .meta({
      placeholder: 'DATE',
      description: `Only tasks that are due on this date or earlier: ${DATE_FORMS}.`,
    }),
  limit: integerField(1, MAX_PAGE_TASKS)
    .default(50)
    .meta({ placeholder: 'NUMBER', description: 'How many tasks.' }),
  after: integerField(0, Number.MAX_SAFE_INTEGER, 'use the id of a task').optional().meta({
    placeholder: 'ID',
    description: 'Continue after the last task of the output before.',
  }),
  ...jsonFlag,
});

export const list = storeCommand('list', {
  flags: pageFlags('pending'),
  details:
    'Prints what is overdue, due today, due later and without a date; inside of these by date, then by priority. With --status completed or all: the newest tasks first.',
  examples: [
    'deskside-todo list',
    'deskside-todo list --due-by today',
    'deskside-todo list --status all --json',
  ],
  run: (values, context) => printPage('list', values, '', context),
});

export const today = storeCommand('today', {
  flags: jsonFlag,
  details: 'Prints the pending tasks that are due today or earlier: by date, then by priority.',
  examples: ['deskside-todo today'],
  async run({ json }, context) {
    const due = await allPending(context.store, context.caller, localToday());
    printResult({ json, ...shown(due, taskLines), none: 'No task is due. To see all: list' }, context);
  },
});

export const search = storeCommand('search', {
  flags: pageFlags('all'),
  operands: 'WORDS...',
  details: 'Finds the tasks whose title or description has a word that starts with each of the words.',
  examples: ['deskside-todo search milk', 'deskside-todo search --status pending call mom'],
  async run(values, context) {
    const words = context.operands.join(' ');
    if (words.trim() === '') throw new StartError('Missing words. Usage: search WORDS...');
    return printPage('search', values, words, context);
  },
});

interface PageValues extends Pick<TaskQuery, 'status' | 'limit'> {
  readonly dueBy?: string | undefined;
  readonly after?: number | undefined;
  readonly json: boolean;
}

async function printPage(
  command: 'list' | 'search',
  { status, limit, after, dueBy: date = '', json }: PageValues,
  searched: string,
  context: StoreContext,
): Promise<void> {
  const isInOrder = command === 'list' && status === 'pending';
  const { store, caller } = context;
  const dueBy = read(dueDate('--due-by'), personDate(date, localToday(), '--due-by')) ?? undefined;
  const { tasks, remaining } = isInOrder
    ? await pendingPage(context, limit, dueBy, after)
    : await store.list(caller, { status, limit, afterId: after, words: read(query, searched), dueBy });
  const none = command === 'search' ? 'No task has these words. Try their first letters.' : NO_TASKS;
  printResult({ json, ...shown(tasks, isInOrder ? groupedLines : taskLines), none }, context);
  if (remaining > 0) context.note(`${remaining} more. Continue with --after ${tasks.at(-1)?.id}.`);
}

/**
 * A page of the pending tasks in the order in which a person does them.
 *
 * @param after the id of the last task of the page before
 * @throws UserError if it does not exist
 */
async function pendingPage({ store, caller }: StoreContext, limit: number, dueBy?: string, after?: number) {
  let rest = await allPending(store, caller, dueBy);
  if (after !== undefined) {
    const last = requireTask(await store.get(caller, after), after);
    rest = rest.filter((task) => byDueDate(last, task) < 0);
  }
  return { tasks: rest.slice(0, limit), remaining: Math.max(0, rest.length - limit) };
}

function shown(tasks: readonly Task[], linesOf: typeof taskLines) {
  const lines = (screen: Screen) => linesOf(tasks, localToday(), screen);
  return { value: tasks.map(toListedTask), lines };
}
