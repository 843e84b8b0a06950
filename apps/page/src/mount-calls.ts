import type { ServerDefinition } from '@deskside/core';
import { parsedJson, isObject } from '@deskside/core/base';
import { escapeInvisible } from '@deskside/core/text';
import type { PageDone, PageTask, PageTasks } from './browser/protocol.ts';

/** As many as one answer of the list contains. */
const MAX_TASKS = 500;
/** The list begins with the newest tasks: one that is due may be an old one. */
const ANY_DATE = '9999-12-31';
/** As many as the page shows. */
const SHOWN_TASKS = 12;

/** @returns what a tool of a mount answers; undefined if the mount is not there, or for an error, which is logged */
export type CallMount = (
  id: string,
  tool: string,
  args: Readonly<Record<string, unknown>>,
) => ReturnType<ServerDefinition['callTool']>;

/** What the page shows of the mounts. It uses their tools, as an agent of the person would. */
export class MountCalls {
  readonly #callMount: CallMount;

  constructor(call: CallMount) {
    this.#callMount = call;
  }

  /** The HTML of a day, in which every text is escaped. @returns undefined if there is none */
  async day(date: string): Promise<string | undefined> {
    const { value } = (await this.#call('manictime', 'render_day', { date })) ?? {};
    return isObject(value) && typeof value['html'] === 'string' ? value['html'] : undefined;
  }

  /** Pending tasks, those that are due first. @returns undefined without tasks */
  async tasks(): Promise<PageTasks | undefined> {
    const args = { user_id: 'me', status: 'pending', limit: MAX_TASKS };
    const answer = await this.#call('todo', 'list_tasks', args);
    if (!Array.isArray(answer?.value)) return undefined;
    const remaining = answer.meta?.['deskside/remaining'];
    const rest = typeof remaining === 'number' ? remaining : 0;
    const due = rest > 0 ? await this.#call('todo', 'list_tasks', { ...args, due_by: ANY_DATE }) : undefined;
    const newest = answer.value.flatMap((task: unknown) => taskOf(task));
    const dated = Array.isArray(due?.value) ? due.value.flatMap((task: unknown) => taskOf(task)) : [];
    const all = new Map([...newest, ...dated].map((task) => [task.id, task]));
    const shown = [...all.values()].toSorted(byDueDate).slice(0, SHOWN_TASKS);
    // The list says less than the task itself.
    const tasks = await Promise.all(shown.map(async (task) => (await this.#task(task.id))?.task ?? task));
    return { tasks, more: newest.length + rest - shown.length };
  }

  /** @returns undefined if the task is not there */
  async complete(id: number): Promise<PageDone | undefined> {
    const isDone = (await this.#call('todo', 'complete_task', { user_id: 'me', task_id: id })) !== undefined;
    if (!isDone) return undefined;
    const nextId = (await this.#task(id))?.nextId;
    return nextId === undefined ? {} : { next: (await this.#task(nextId))?.task };
  }

  async #task(id: number) {
    const args = { user_id: 'me', task_id: id };
    const { value, meta } = (await this.#call('todo', 'get_task', args)) ?? {};
    const [task] = taskOf(value);
    const nextId = isObject(value) ? value['next_task_id'] : undefined;
    const holder = holderOf(meta?.['deskside/claim']);
    return (
      task && {
        task: { ...task, ...(holder && { holder }) },
        nextId: typeof nextId === 'number' ? nextId : undefined,
      }
    );
  }

  /** @returns undefined if the mount is not there, or for an error, which is logged */
  async #call(id: string, tool: string, args: Readonly<Record<string, unknown>>) {
    const result = await this.#callMount(id, tool, args);
    if (result === undefined || !('content' in result) || result.isError === true) return undefined;
    const { content, _meta: meta } = result;
    const text = Array.isArray(content) ? textOf(content[0]) : undefined;
    return text === undefined ? undefined : { value: parsedJson(text), meta };
  }
}

function holderOf(claim: unknown): PageTask['holder'] {
  if (!isObject(claim)) return undefined;
  const { by, until } = claim;
  if (typeof by !== 'string' || typeof until !== 'string') return undefined;
  return { label: escapeInvisible(by), until };
}

function textOf(block: unknown): string | undefined {
  return isObject(block) && typeof block['text'] === 'string' ? block['text'] : undefined;
}

function taskOf(task: unknown): readonly PageTask[] {
  if (!isObject(task)) return [];
  const { id, title, due_date: due, every } = task;
  if (typeof id !== 'number' || typeof title !== 'string') return [];
  return [
    {
      id,
      title: escapeInvisible(title),
      ...(typeof due === 'string' ? { due } : {}),
      ...(typeof every === 'string' ? { every } : {}),
    },
  ];
}

/** Tasks without a date come last, the newest first. */
function byDueDate(a: PageTask, b: PageTask): number {
  return (a.due ?? '9').localeCompare(b.due ?? '9') || b.id - a.id;
}
