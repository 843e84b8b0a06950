import * as z from 'zod';
import { type OptionsOf, pickOptions } from '@deskside/core/program';
import { StartError, textOf, UserError } from '@deskside/core/errors';
import { todoOptions } from '../options.ts';
import { type CallerContext, StoreUnavailable, type TaskStore } from '../store/task-store.ts';
import { openTodo } from '../todo.ts';

/** Settings of every command that works on tasks. */
export const storeOptions = pickOptions(todoOptions, ({ database, migrationUrl, user }) => ({
  database,
  migrationUrl,
  user,
}));

export type StoreSettings = OptionsOf<typeof storeOptions>;

export const jsonFlag = {
  json: z.boolean().default(false).meta({ description: 'Print JSON.' }),
};

/**
 * Opens the store for one command of the person.
 *
 * @param command its name, for the audit
 * @throws StartError that says in one line what is wrong
 */
export async function withStore<T>(
  { user: owner, ...options }: StoreSettings,
  command: string,
  work: (store: TaskStore, caller: CallerContext) => Promise<T>,
): Promise<T> {
  await using todo = openTodo({ user: owner, ...options });
  try {
    return await work(await todo.store(), { actor: owner, user: owner, tool: `command ${command}` });
  } catch (error) {
    throw toStartError(error);
  }
}

/** Errors of the contract are JSON for models; a person gets the sentence in it. */
export function toStartError(error: unknown): unknown {
  if (error instanceof StoreUnavailable) return new StartError(`${error.reason}.`, { cause: error });
  if (!UserError.is(error)) return error;
  if ('code' in error.failure) {
    const { error: sentence, hint } = error.failure;
    return new StartError(`${sentence}. ${textOf(hint, commandFor)}`, { cause: error });
  }
  const { exactly, next } = error.failure;
  const [sentence, id] = typeof exactly === 'string' ? [exactly] : [exactly['error'], exactly['task_id']];
  const subject = id === undefined ? '' : ` (${typeof id === 'string' ? id : JSON.stringify(id)})`;
  const advice = next === undefined ? '' : ` ${textOf(next, commandFor)}`;
  return new StartError(`${String(sentence)}${subject}.${advice}`, { cause: error });
}

/** Hints name tools; a person has commands. */
function commandFor(tool: string): string {
  return tool === 'list_tasks' ? 'the command "list"' : tool;
}
