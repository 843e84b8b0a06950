import * as z from 'zod';
import {
  type Command,
  type CommandContext,
  type CommandSpec,
  defineCommand,
  type OptionsOf,
  pickOptions,
} from '@deskside/core/program';
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

export const jsonFlag = {
  json: z.boolean().default(false).meta({ description: 'Print JSON.' }),
};

export interface StoreContext extends CommandContext {
  readonly store: TaskStore;
  /** The person. */
  readonly caller: CallerContext;
}

/**
 * A command that works on the tasks of the person. It ends with a StartError that says in one line what is wrong.
 *
 * @param name of the command, for the audit
 */
export function storeCommand<Own extends z.ZodRawShape>(
  name: string,
  spec: Omit<CommandSpec<Own>, 'options' | 'run'> & {
    readonly run: (values: z.output<z.ZodObject<Own>>, context: StoreContext) => Promise<void>;
  },
): Command {
  return defineCommand<Own, (typeof storeOptions)['schema']['shape']>({
    ...spec,
    options: storeOptions,
    async run(values, context) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- these are the fields of both shapes
      const known = values as unknown as OptionsOf<typeof storeOptions> & z.output<z.ZodObject<Own>>;
      const { user, database, migrationUrl } = known;
      await using todo = openTodo({ user, database, migrationUrl });
      try {
        const caller: CallerContext = { actor: user, user, tool: `command ${name}` };
        const own = { store: { value: await todo.store() }, caller: { value: caller } };
        // The context is not copied: reading its streams opens stdin and stdout.
        const inside: StoreContext = Object.create(context, own);
        await spec.run(known, inside);
      } catch (error) {
        throw toStartError(error);
      }
    },
  });
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
