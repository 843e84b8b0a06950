import { styleText } from 'node:util';
import type { CommandContext } from '@deskside/core/program';
import { localDateTime } from '@deskside/core/dates';
import { escapeInvisible } from '@deskside/core/text';
import cliTruncate from 'cli-truncate';
import stringWidth from 'string-width';
import type { AuditRow, Task } from '../store/task-store.ts';

type Style = 'dim' | 'red' | 'yellow' | 'green';
const DATE_COLUMNS = 10;

/** How a table is printed. */
export interface Screen {
  readonly isColored: boolean;
  /** Undefined if the output is not a terminal: then nothing is cut off. */
  readonly columns: number | undefined;
}

/** What a command prints: a value as JSON, or lines. */
interface Result {
  readonly json: boolean;
  readonly value: unknown;
  readonly lines: (screen: Screen) => readonly string[];
  /** What a person reads if there are no lines. */
  readonly none?: string;
}

export function printResult({ json, value, lines, none }: Result, context: CommandContext): void {
  if (json) return context.print(JSON.stringify(value, undefined, 2));
  const printed = lines(screenOf(context));
  for (const line of printed) context.print(line);
  if (printed.length === 0 && none !== undefined) context.note(none);
}

/** What decides whether colors are used: https://no-color.org */
function screenOf({ output, env }: CommandContext): Screen {
  const isTerminal = output.isTTY === true;
  const isColored = isTerminal && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  // A terminal that does not know its size says 0.
  return { isColored, columns: isTerminal ? output.columns || undefined : undefined };
}

/**
 * One line per task: id, check box, due date if any task has one, title and description.
 *
 * @param today `2026-11-30`
 */
export function taskLines(tasks: readonly Task[], today: string, screen: Screen): readonly string[] {
  const width = Math.max(...tasks.map(({ id }) => String(id).length));
  const hasDates = tasks.some(({ dueDate }) => dueDate !== null);
  return tasks.map(({ id, title, description, completed, dueDate }) => {
    const box = completed ? '[x]' : '[ ]';
    const date = hasDates ? `${(dueDate ?? '').padEnd(DATE_COLUMNS)}  ` : '';
    const start = `${String(id).padStart(width)}  ${box}  `;
    const shownTitle = escapeInvisible(title);
    const rest = description === null ? '' : `  ${escapeInvisible(description.replaceAll(/\s+/g, ' '))}`;
    const line = `${shownTitle}${rest}`;
    const columns = screen.columns && Math.max(1, screen.columns - start.length - date.length);
    const text = columns === undefined ? line : cliTruncate(line, columns);
    if (completed) return `${start}${styled(`${date}${text}`, 'dim', screen)}`;
    const shownRest = styled(text.slice(shownTitle.length), 'dim', screen);
    return `${start}${styled(date, dateStyle(dueDate, today), screen)}${text.slice(0, shownTitle.length)}${shownRest}`;
  });
}

/** On a terminal: with headings for what is overdue, due today, due later and without a date. */
export function groupedLines(tasks: readonly Task[], today: string, screen: Screen): readonly string[] {
  const lines = taskLines(tasks, today, screen);
  if (screen.columns === undefined || tasks.every(({ dueDate }) => dueDate === null)) return lines;
  const groups = tasks.map(({ dueDate }) => groupOf(dueDate, today));
  return lines.flatMap((line, index) => {
    const group = groups[index] ?? '';
    if (group === groups[index - 1]) return [line];
    return index === 0 ? [group, line] : ['', group, line];
  });
}

function groupOf(dueDate: string | null, today: string): string {
  if (dueDate === null) return 'Without a date';
  if (dueDate === today) return 'Today';
  return dueDate < today ? 'Overdue' : 'Later';
}

/**
 * All of a task.
 *
 * @param today `2026-11-30`
 */
export function detailLines(task: Task, today: string, screen: Screen): readonly string[] {
  const { id, title, description, completed, createdAt, dueDate, priority, project, after, every } = task;
  const facts: readonly (readonly [label: string, text: string])[] = [
    ['Status', completed ? 'completed' : 'pending'],
    ['Due', dueDate === null ? '' : styled(dueDate, dateStyle(dueDate, today), screen)],
    ['Repeats', every === null ? '' : `every ${every}`],
    ['Next', task.nextId === null ? '' : `task ${task.nextId}`],
    ['Priority', priority === null ? '' : String(priority)],
    ['Project', escapeInvisible(project ?? '')],
    ['After', after.join(', ')],
    ['Added', localDateTime(new Date(createdAt))],
  ];
  const paragraphs = description === null ? [] : description.split('\n').map((line) => escapeInvisible(line));
  return [
    `${id}  ${escapeInvisible(title)}`,
    ...facts.flatMap(([label, text]) => (text === '' ? [] : `${label.padEnd(10)}${text}`)),
    ...(paragraphs.length === 0 ? [] : ['']),
    ...paragraphs.flatMap((paragraph) => wrapped(paragraph, screen.columns)),
  ];
}

/** Breaks between words. */
function wrapped(text: string, columns = Infinity): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || stringWidth(`${last} ${word}`) > columns) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** One line per change, newest first. */
export function auditLines(rows: readonly AuditRow[], screen: Screen): readonly string[] {
  const cells = rows.map(({ at, actor, user, tool, outcome, taskId, changed }) => [
    localDateTime(new Date(at)),
    escapeInvisible(actor === user ? actor : `${actor} for ${user}`),
    tool,
    taskId === null ? '' : String(taskId),
    outcome,
    changed ?? '',
  ]);
  return alignedLines(cells, screen);
}

/** The fifth cell, if there is one, is the outcome of a call. */
export function alignedLines(cells: readonly (readonly string[])[], screen: Screen): readonly string[] {
  // Not as arguments of Math.max: an audit has more rows than a call may have arguments.
  const width = (column: number) =>
    cells.reduce((most, row) => Math.max(most, stringWidth(row[column] ?? '')), 0);
  const widths = (cells[0] ?? []).map((_, column) => width(column));
  return cells.map((row) => {
    const shown = row.flatMap((cell, column) => (widths[column] ? padEnd(cell, widths[column]) : []));
    const line = shown.join('  ').trimEnd();
    return (row[4] ?? 'ok') === 'ok' ? line : styled(line, 'yellow', screen);
  });
}

function dateStyle(dueDate: string | null, today: string): Style {
  if (dueDate === null || dueDate > today) return 'green';
  return dueDate < today ? 'red' : 'yellow';
}

/** An East Asian character and most emoji take two columns, a combining mark none. */
function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - stringWidth(text)));
}

function styled(text: string, style: Style, { isColored }: Screen): string {
  return isColored && text !== '' ? styleText(style, text, { validateStream: false }) : text;
}
