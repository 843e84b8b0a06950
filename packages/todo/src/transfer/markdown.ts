import { everyOf } from '../store/recurrence.ts';
import type { Task } from '../store/task-store.ts';

/** One item of a checklist, before validation. */
// oxlint-disable-next-line typescript/consistent-type-definitions -- an interface is no record
type Item = {
  /** Where it begins in the file, from 1. */
  readonly line: number;
  readonly title: string;
  readonly completed: boolean;
  readonly due_date: string | null;
  readonly every: string | null;
  description: string;
};

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
export function fromMarkdown(text: string) {
  const leftOut: number[] = [];
  const tasks: Item[] = [];
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
      const completed = /[xX-]/.test(box);
      tasks.push({ line: index + 1, title: shown, completed, due_date: due, every, description: '' });
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

function suffixOf(title: string) {
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
