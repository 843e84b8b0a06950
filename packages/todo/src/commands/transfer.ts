import { createReadStream } from 'node:fs';
import { extname, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { choiceField } from '@deskside/core/program';
import { isObject } from '@deskside/core/base';
import { parseWallTime } from '@deskside/core/dates';
import { errnoOf, messageOf, StartError } from '@deskside/core/errors';
import { escapeInvisible } from '@deskside/core/text';
import * as z from 'zod';
import { allTasks } from '../store/due-order.ts';
import { givenIn } from '../store/records.ts';
import type { Task } from '../store/task-store.ts';
import { toListedTask, toTaskDetails } from '../tools/schemas.ts';
import { fromMarkdown, toMarkdown } from '../transfer/markdown.ts';
import * as fields from '../validation/fields.ts';
import { storeCommand, toStartError } from './store-command.ts';

/** Files that people can read, keep and bring back. */
const FORMATS = ['json', 'markdown'] as const;
type Format = (typeof FORMATS)[number];

export const exportTasks = storeCommand('export', {
  flags: {
    format: choiceField(FORMATS).default('json').meta({
      placeholder: 'FORMAT',
      description: 'json, with everything except ids, or markdown, a checklist.',
    }),
  },
  details: 'Prints all tasks of the user, oldest first. Deleted tasks are not included.',
  examples: ['deskside-todo export > tasks.json', 'deskside-todo export --format markdown > tasks.md'],
  async run({ format }, { output, note, store, caller }) {
    const tasks = await allTasks(store, caller, { status: 'all' });
    const oldestFirst = tasks.toReversed();
    const text = format === 'json' ? toJson(oldestFirst) : toMarkdown(oldestFirst);
    // A failure is reported by the program, for all commands.
    const failure = await new Promise((resolve) => void output.write(text, resolve));
    if (!failure) note(`Exported ${counted(tasks.length)}.`);
  },
});

export const importTasks = storeCommand('import', {
  flags: {
    format: choiceField(FORMATS).optional().meta({
      placeholder: 'FORMAT',
      defaultText: 'markdown for a file that ends with .md, else json',
      description: 'Format of the file: json or markdown.',
    }),
  },
  operands: 'FILE',
  details:
    'Adds the tasks of a file to the tasks of the user, with new ids: all of them, or none if one is invalid. With - the command reads standard input. Importing a file twice adds its tasks twice.',
  examples: ['deskside-todo import tasks.json', 'deskside-todo import --format markdown - < checklist.md'],
  async run({ format }, context) {
    const [file = ''] = context.operands;
    const content = await contentOf(file, context.input);
    const ofName = extname(file).toLowerCase() === '.md' ? 'markdown' : 'json';
    const { tasks, leftOut, unknown } = readTasks(content, format ?? ofName, file);
    await context.store.addAll(context.caller, tasks);
    context.print(`Imported ${counted(tasks.length)}.`);
    if (unknown.length > 0) context.note(`Left out what tasks do not have: ${unknown.join(', ')}`);
    if (leftOut.length === 0) return;
    const [all, shown] = [leftOut.length, leftOut.slice(0, MAX_SHOWN_LINES).join(', ')];
    const rest = all > MAX_SHOWN_LINES ? ' …' : '';
    context.note(`Left out ${all} ${all === 1 ? 'line' : 'lines'} without a task: ${shown}${rest}`);
  },
});

function counted(tasks: number): string {
  return `${tasks} ${tasks === 1 ? 'task' : 'tasks'}`;
}

const MAX_SHOWN_LINES = 20;

async function contentOf(file: string, input: AsyncIterable<string | Uint8Array>): Promise<string> {
  let bytes: Uint8Array;
  try {
    bytes = await buffer(file === '-' ? input : createReadStream(resolve(file)));
  } catch (error) {
    throw new StartError(
      `${file} cannot be read (${errnoOf(error) ?? messageOf(error)}). Pass the path of a file, or - for standard input.`,
      { cause: error },
    );
  }
  return decoded(bytes, file);
}

/** Windows PowerShell writes UTF-16. In other encodings letters would be damaged. */
function decoded(bytes: Uint8Array, file: string): string {
  const [first = 0, second = 0] = bytes;
  const isLittle = (first === 0xff && second === 0xfe) || (first !== 0 && second === 0 && bytes.length > 1);
  const isBig = (first === 0xfe && second === 0xff) || (first === 0 && second !== 0);
  const encoding = isLittle ? 'utf-16le' : isBig ? 'utf-16be' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    throw new StartError(`${file} is neither UTF-8 nor UTF-16. Save it as UTF-8, and import it again.`, {
      cause: error,
    });
  }
}

/** Everything about the tasks; an import gives them new ids. */
function toJson(tasks: readonly Task[]): string {
  const ids = new Set(tasks.map(({ id }) => id));
  const awaited = new Set(tasks.flatMap(({ after }) => after.filter((id) => ids.has(id))));
  const entries = tasks.map((task) => {
    const { id, after = [], ...entry } = { ...toListedTask(task), ...toTaskDetails(task) };
    const first = after.filter((other) => awaited.has(other));
    return { ...(awaited.has(id) ? { id } : {}), ...entry, ...(first.length > 0 ? { after: first } : {}) };
  });
  return `${JSON.stringify({ version: 1, tasks: entries }, undefined, 2)}\n`;
}

/** One task of a file, before validation. */
type FileTask = Readonly<Record<string, unknown>>;

/** @returns the tasks of an exported file, or of an array of tasks @throws Error that says what is wrong */
function fromJson(text: string): readonly FileTask[] {
  const value: unknown = JSON.parse(text);
  const tasks = isObject(value) ? value['tasks'] : value;
  if (!Array.isArray(tasks) || !tasks.every((task) => isObject(task) && 'title' in task)) {
    throw new Error(
      'it must be an array of objects with a title, or an object with such an array as "tasks"',
    );
  }
  return tasks;
}

/** The line in which an element of a valid array of tasks begins, which can be in an object. */
function lineOf(index: number, json: string): number {
  let before = -1;
  let levels = json.trimStart().startsWith('{') ? -1 : 0;
  for (const { 0: mark, index: at } of json.matchAll(/"(?:[^"\\]|\\.)*"|[[{\]}]/g)) {
    if ('[{'.includes(mark)) levels += 1;
    if (mark === '{' && levels === 2) before += 1;
    if (before === index) return json.slice(0, at).split('\n').length;
    if (']}'.includes(mark)) levels -= 1;
  }
  return 1;
}

/** @throws StartError that names the first invalid task */
function readTasks(content: string, format: Format, file: string) {
  let entries: readonly FileTask[];
  let leftOut: readonly number[] = [];
  try {
    if (format === 'json') entries = fromJson(content);
    else ({ tasks: entries, leftOut } = fromMarkdown(content));
  } catch (error) {
    // The message of JSON.parse contains lines of the file.
    const reason = messageOf(error).replaceAll(/\s+/g, ' ');
    throw new StartError(`${file} is not a ${format} file with tasks: ${reason}.`, { cause: error });
  }
  // Files that were put together have an id twice.
  const positions = new Map<unknown, number | undefined>();
  for (const [index, { id }] of entries.entries()) positions.set(id, positions.has(id) ? undefined : index);
  const tasks = entries.map((entry, index) => {
    try {
      return readTask(entry, positions);
    } catch (error) {
      const line = format === 'json' ? lineOf(index, content) : entry['line'];
      const reason = messageOf(toStartError(error));
      throw new StartError(`Task ${index + 1} in ${file}, line ${String(line)}: ${reason}`, { cause: error });
    }
  });
  if (hasLoop(tasks))
    throw new StartError(`Some tasks in ${file} wait for each other: remove one from an "after".`);
  const unknown = new Set(entries.flatMap((entry) => Object.keys(entry)));
  for (const name of [...Object.keys(fileTask.shape), 'id', 'after', 'line']) unknown.delete(name);
  return { tasks, leftOut, unknown: Array.from(unknown, (name) => escapeInvisible(name)) };
}

function hasLoop(tasks: readonly { readonly afterAdded: readonly number[] }[]): boolean {
  const waiting = new Set(tasks.keys());
  for (let before = -1; before !== waiting.size;) {
    before = waiting.size;
    for (const index of waiting)
      if (tasks[index]?.afterAdded.every((first) => !waiting.has(first)) === true) waiting.delete(index);
  }
  return waiting.size > 0;
}

/** JavaScript reads other texts as times too: `5` as a day in May 2001. Databases disagree about earlier years. */
const ISO_DATE = /^[1-9]\d{3}-\d{2}-\d{2}/;
const CREATED = 'created_at must be a time such as 2026-11-30T10:30:00Z';

const fileTask = z.object({
  title: fields.title,
  description: fields.description,
  due_date: fields.dueDate(),
  project: fields.project,
  priority: fields.priority,
  every: fields.every(),
  completed: z.boolean('completed must be true or false').nullish(),
  created_at: z
    .string(CREATED)
    .refine((time) => ISO_DATE.test(time) && !Number.isNaN(Date.parse(time)), CREATED)
    .refine((time) => parseWallTime(time.slice(0, 10)) !== undefined, CREATED)
    .transform((time) => new Date(time))
    .nullish(),
});

function readTask(entry: FileTask, positions: ReadonlyMap<unknown, number | undefined>) {
  const task = fields.read(fileTask, entry);
  const { after = [], priority } = entry;
  if (priority !== undefined && task.priority === undefined)
    throw new StartError('priority must be 1, 2 or 3.');
  const { title, due_date: dueDate, completed, created_at: createdAt, ...others } = task;
  return {
    title,
    description: null,
    ...givenIn({ ...others, dueDate, createdAt: createdAt ?? undefined }),
    completed: completed === true,
    afterAdded: (Array.isArray(after) ? after : [after]).map((id: unknown) => {
      const position = id === undefined ? undefined : positions.get(id);
      if (position === undefined)
        throw new StartError('after must be a list of ids, each of one task in this file.');
      return position;
    }),
  };
}
