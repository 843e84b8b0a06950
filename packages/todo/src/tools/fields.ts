import { z } from 'zod';
import type { Task } from '../store/task-store.ts';

/**
 * The contract's own schemas, word for word, are advertised (the required ones by the tool's `required`). What
 * comes in is judged by the rules: their errors are the contract's, and the audit hears of them.
 */
export const userId = z
  .unknown()
  .optional()
  .meta({ type: 'string', description: "The user's unique identifier" });

export const taskId = (what: string) =>
  z
    .unknown()
    .optional()
    .meta({ type: 'integer', description: `The ID of the task to ${what}` });

/** What a tool answers that did something to one task. */
export const outcome = <const Status extends string>(status: Status) =>
  z.object({ task_id: z.int(), status: z.enum([status]), title: z.string() });

export const outcomeOf = <const Status extends string>({ id, title }: Task, status: Status) => ({
  task_id: id,
  status,
  title,
});
