import { everyOf } from '../store/recurrence.ts';
import type { Task } from '../store/task-store.ts';

/** Files that people can read, keep and bring back. */
export const FORMATS = ['json', 'markdown'] as const;
export type Format = (typeof FORMATS)[number];

/** One task of a file, before validation. */
export interface FileTask {
  readonly title: unknown;
  readonly description?: unknown;
  readonly completed?: unknown;
  readonly created_at?: unknown;
  readonly due_date?: unknown;
  readonly project?: unknown;
  readonly priority?: unknown;
  readonly every?: unknown;
  /** Of a task that others in the file wait for. */
  readonly id?: unknown;
  /** Ids in the file. */
  readonly after?: unknown;
}

const VERSION = 1;

/** Everything about the tasks; an import gives them new ids. */
export function toJson(tasks: readonly Task[]): string {
  const ids = new Set(tasks.map(({ id }) => id));
  const awaited = new Set(tasks.flatMap(({ after }) => after.filter((id) => ids.has(id))));
  const entries = tasks.map(
    ({ id, title, description, completed, createdAt, dueDate, project, priority, after, every }) => ({
      ...(awaited.has(id) ? { id } : {}),
      title,
      description,
      completed,
      created_at: createdAt,
      ...(dueDate === null ? {} : { due_date: dueDate }),
      ...(project === null ? {} : { project }),
      ...(priority === null ? {} : { priority }),
      ...(every === null ? {} : { every }),
      ...(after.some((other) => awaited.has(other))
        ? { after: after.filter((other) => awaited.has(other)) }
        : {}),
    }),
  );
  return `${JSON.stringify({ version: VERSION, tasks: entries }, undefined, 2)}\n`;
}

/**
 * @returns the tasks of an exported file, or of an array of tasks
 * @throws Error that says what is wrong
 */
export function fromJson(text: string): readonly FileTask[] {
  const value: unknown = JSON.parse(text);
  const tasks = typeof value === 'object' && value !== null && 'tasks' in value ? value.tasks : value;
  if (!Array.isArray(tasks) || !tasks.every(isFileTask)) {
    throw new Error(
      'it must be an array of objects with a title, or an object with such an array as "tasks"',
    );
  }
  return tasks;
}

function isFileTask(value: unknown): value is FileTask {
  return typeof value === 'object' && value !== null && 'title' in value;
}

/** A box with a stroke is work in progress, one with a dash a task that was given up. */
const ITEM = /^\s*(?:[-*+]|\d+[.)]) +\[([ xX/-])\] ([^]*)$/;
const QUOTED = /^(?:> ?)+/;
/** What a title ends with: `(due 2026-11-30, every 2 weeks)`. */
const SUFFIX = / \((?=[de])(?:due (\d{4}-\d{2}-\d{2})(?:, (?=e)|(?=\))))?(?:every ([^()]+))?\)$/;
const INDENTED = /^ {2}|^\t/;

/** Characters that a file cannot have at their place. As entities they are the same in Markdown. */
const ENTITY = /&#(10|13|40);/g;
/** What an import would take for an entity. */
const LIKE_ENTITY = /&(?=(?:amp;)*#(?:10|13|40);)/g;
const ESCAPED_ENTITY = /&amp;(?=(?:amp;)*#(?:10|13|40);)/g;

/** A checklist, with descriptions as indented lines, which `fromMarkdown` reads as it was. Times of creation are not in it. */
export function toMarkdown(tasks: readonly Task[]): string {
  return tasks
    .map(({ title, description, completed, dueDate, every }) => {
      const times = [
        ...(dueDate === null ? [] : [`due ${dueDate}`]),
        ...(every === null ? [] : [`every ${every}`]),
      ];
      const suffix = times.length === 0 ? '' : ` (${times.join(', ')})`;
      const escaped = escape(title);
      // A title that ends like that.
      const own = suffix === '' ? suffixOf(escaped).suffix.length : 0;
      const start = escaped.slice(0, escaped.length - own);
      const shown = own === 0 ? escaped : `${start} &#40;${escaped.slice(start.length + 2)}`;
      const lines = description === null ? [] : escape(description).split('\n');
      const below = lines.map((line) => `  ${line}\n`);
      return `- [${completed ? 'x' : ' '}] ${shown.replaceAll('\n', '&#10;')}${suffix}\n${below.join('')}`;
    })
    .join('');
}

/**
 * Reads the items of all checklists. Lines below an item that are indented more than the item are its description, also
 * if they are items themselves.
 *
 * @returns the tasks, and the numbers of the other lines, which are left out
 */
export function fromMarkdown(text: string): {
  readonly tasks: readonly FileTask[];
  readonly leftOut: readonly number[];
} {
  const leftOut: number[] = [];
  const tasks: (FileTask & { description: string })[] = [];
  /** Of the lines of the description; undefined before the first one. */
  let indent: string | undefined;
  let isBelowItem = false;
  for (const [index, written] of text.split(/\r\n|[\n\r]/).entries()) {
    const line = written.replace(QUOTED, '');
    const last = tasks.at(-1);
    const isIndented = INDENTED.test(line);
    const [, box = '', title] = isBelowItem && isIndented ? [] : (ITEM.exec(line) ?? []);
    if (title !== undefined) {
      // Two blanks at the end are a line break in Markdown.
      const item = title.trimEnd();
      const { suffix, due, every } = suffixOf(item);
      const shown = unescape(item.slice(0, item.length - suffix.length));
      tasks.push({ title: shown, completed: /[xX-]/.test(box), due_date: due, every, description: '' });
      isBelowItem = true;
      indent = undefined;
    } else if (isBelowItem && last !== undefined && (isIndented || line.trim() === '')) {
      if (isIndented) indent ??= /^\s*/.exec(line)?.[0];
      const own =
        indent !== undefined && line.startsWith(indent)
          ? line.slice(indent.length)
          : line.replace(INDENTED, '');
      last.description += `${unescape(own)}\n`;
    } else {
      isBelowItem = false;
      if (line.trim() !== '') leftOut.push(index + 1);
    }
  }
  return { tasks, leftOut };
}

function suffixOf(title: string): {
  readonly suffix: string;
  readonly due: string | null;
  readonly every: string | null;
} {
  const [suffix = '', due = null, every = null] = SUFFIX.exec(title) ?? [];
  const isSuffix = every === null || everyOf(every) !== undefined;
  return isSuffix ? { suffix, due, every } : { suffix: '', due: null, every: null };
}

function escape(text: string): string {
  return text.replaceAll(LIKE_ENTITY, '&amp;').replaceAll('\r', '&#13;');
}

function unescape(text: string): string {
  return text
    .replaceAll(ENTITY, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll(ESCAPED_ENTITY, '&');
}
