import * as z from 'zod';
import type { Task } from '../store/task-store.ts';
import * as fields from '../validation/fields.ts';

// Parameters are listed as the contract has them. They accept more: null, and numbers as texts.

export const userId = z
  .string()
  .optional()
  .meta({
    type: 'string',
    description: "The user's unique identifier",
    examples: ['me'],
  });

/** The contract checks it last: `readTaskId` does. */
export const taskId = (verb: string) =>
  z
    .unknown()
    .optional()
    .meta({ type: 'integer', description: `The ID of the task to ${verb}` });

/**
 * What a task consists of.
 *
 * @param texts describe each parameter
 * @param clears whether `""` removes a due date, and 0 a priority: some hosts refuse a schema with null
 */
export const taskFields = <Title extends z.ZodType>(
  title: Title,
  texts: Readonly<Record<'title' | 'description' | 'due_date' | 'priority' | 'after' | 'every', string>>,
  clears = false,
) => ({
  title: title.meta({
    type: 'string',
    description: texts.title,
    minLength: 1,
    maxLength: fields.MAX_TITLE_CODE_POINTS,
  }),
  description: fields.description.meta({
    type: 'string',
    description: texts.description,
    maxLength: fields.MAX_DESCRIPTION_CODE_POINTS,
  }),
  due_date: fields.dueDate().meta({
    type: 'string',
    description: `${texts.due_date}: a date such as 2026-11-30`,
    ...(clears ? {} : { format: 'date' }),
  }),
  priority: fields.priority.meta({
    type: 'integer',
    description: texts.priority,
    enum: clears ? [0, 1, 2, 3] : [1, 2, 3],
  }),
  after: fields.after.meta({ type: 'array', description: texts.after, items: { type: 'integer' } }),
  every: fields.every().meta({
    type: 'string',
    description: `${texts.every}: week, 2 weeks, weekday, month`,
  }),
});

const dueDateIfSet = { due_date: z.string().meta({ format: 'date' }).optional() };

/** A task as the contract lists it, with its due date if it has one. */
export const listedTask = z.object({
  id: z.int(),
  title: z.string(),
  description: z.string().nullable(),
  completed: z.boolean(),
  created_at: z.string().meta({ format: 'date-time' }),
  ...dueDateIfSet,
});

/** What a task has beyond the contract, if it is set. */
export const taskDetails = z.object({
  ...dueDateIfSet,
  project: z.string().optional(),
  priority: z.int().optional(),
  after: z.array(z.int()).optional(),
  every: z.string().optional(),
});

/** JSON has no members that are undefined. */
export function toTaskDetails(task: Task): z.output<typeof taskDetails> {
  const { dueDate, project, priority, after, every } = task;
  return {
    due_date: dueDate ?? undefined,
    project: project ?? undefined,
    priority: priority ?? undefined,
    after: after.length === 0 ? undefined : [...after],
    every: every ?? undefined,
  };
}

export function toListedTask(task: Task): z.output<typeof listedTask> {
  const { id, title, description, completed, createdAt, dueDate } = task;
  return { id, title, description, completed, created_at: createdAt, due_date: dueDate ?? undefined };
}

/** Named by the tools that show or reopen a completed recurring task. */
export const nextTask = { next_task_id: z.int().optional() };

/** A task with everything that is known about it. */
export const wholeTask = listedTask.extend(taskDetails.shape).extend(nextTask);

export function toWholeTask(task: Task): z.output<typeof wholeTask> {
  return { ...toListedTask(task), ...toTaskDetails(task), next_task_id: task.nextId ?? undefined };
}

/** Some hosts cut off answers above 60 kB. The rest is for what surrounds the tasks. */
const MAX_ANSWER_BYTES = 59_900;

/** The first of these values, as many as fit into one answer as JSON; at least one. */
export function fittingTasks<T>(tasks: readonly T[], maxBytes: number = MAX_ANSWER_BYTES): readonly T[] {
  let bytes = 0;
  const excess = tasks.findIndex((task) => {
    bytes += Buffer.byteLength(JSON.stringify(task)) + 1;
    return bytes > maxBytes;
  });
  return excess === -1 ? tasks : tasks.slice(0, Math.max(1, excess));
}

/** The output of a tool that changes one task. */
export const changedTask = <const Status extends string>(status: Status) =>
  z.object({ task_id: z.int(), status: z.enum([status]), title: z.string() });

export const toChangedTask = <const Status extends string>({ id, title }: Task, status: Status) => ({
  task_id: id,
  status,
  title,
});
