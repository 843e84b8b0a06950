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
}

const VERSION = 1;

/** Everything about the tasks except their ids. */
export function toJson(tasks: readonly Task[]): string {
  const entries = tasks.map(({ title, description, completed, createdAt, dueDate }) => ({
    title,
    description,
    completed,
    created_at: createdAt,
    due_date: dueDate,
  }));
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

const ITEM = /^\s*[-*+] \[([ xX])\] (.*)$/;
const DUE = / \(due (\d{4}-\d{2}-\d{2})\)$/;
const INDENTED = /^(?: {2,}|\t)(.*)$/;

/** A checklist, with descriptions as indented lines. Times of creation are not in it. */
export function toMarkdown(tasks: readonly Task[]): string {
  return tasks
    .map(({ title, description, completed, dueDate }) => {
      const due = dueDate === null ? '' : ` (due ${dueDate})`;
      const lines = description === null ? [] : description.split(/\r\n|[\n\r]/).map((line) => `  ${line}\n`);
      return `- [${completed ? 'x' : ' '}] ${title.replaceAll(/\s*[\n\r]+\s*/g, ' ')}${due}\n${lines.join('')}`;
    })
    .join('');
}

/** Reads the items of all checklists; indented lines below an item are its description. Other lines are left out. */
export function fromMarkdown(text: string): readonly FileTask[] {
  const tasks: (FileTask & { description: string })[] = [];
  let isBelowItem = false;
  for (const line of text.split(/\r\n|[\n\r]/)) {
    const [, box, title] = ITEM.exec(line) ?? [];
    const [, indented] = INDENTED.exec(line) ?? [];
    const last = tasks.at(-1);
    if (title !== undefined) {
      const [suffix = '', due = null] = DUE.exec(title) ?? [];
      const shown = title.slice(0, title.length - suffix.length);
      tasks.push({ title: shown, completed: box !== ' ', due_date: due, description: '' });
      isBelowItem = true;
    } else if (isBelowItem && last !== undefined && (indented !== undefined || line.trim() === '')) {
      last.description += `${indented ?? ''}\n`;
    } else {
      isBelowItem = false;
    }
  }
  return tasks;
}
