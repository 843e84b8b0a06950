import { type RequestContext, type Tool, toolFromSpec, type ToolOutput, type ToolSpec } from '@deskside/core';
import type { ToolName } from '@deskside/core/errors';
import * as z from 'zod';
import {
  type CallerContext,
  type ClaimHolder,
  InvalidOrder,
  StoreUnavailable,
  type TaskStore,
} from '../store/task-store.ts';
import type { Edition } from '../options.ts';
import type { Todo } from '../todo.ts';
import { RejectedCall, rejectionOf, userNotFound } from '../validation/rejected-call.ts';
import type { userId } from './schemas.ts';

/** A call for a user that the principal may act for. */
export interface AuthorizedCall {
  /** A call that is rejected without data does not ask for the store. */
  readonly store: () => Promise<TaskStore>;
  readonly caller: CallerContext;
  readonly toolName: ToolName;
  readonly agent: ClaimHolder;
}

type TodoInput = z.ZodObject<{ user_id: typeof userId }>;

interface TodoToolSpec<Input extends TodoInput, Output extends ToolOutput> extends Omit<
  ToolSpec<Todo, Input, Output>,
  'run'
> {
  /** Arguments that only the edition `all` has: without them the call is exactly the contract's. */
  readonly extensions?: readonly (keyof Input['shape'] & string)[];
  /** Runs for an authorized user. The audit records a RejectedCall. */
  readonly run: (args: z.output<Input>, call: AuthorizedCall) => Answer<Input, Output>;
}

type Answer<Input extends TodoInput, Output extends ToolOutput> = ReturnType<
  ToolSpec<Todo, Input, Output>['run']
>;

/** A tool as each edition offers it. */
export type TodoTool = Readonly<Record<Edition, Tool<Todo> | undefined>>;

/** A tool that works on the tasks of the user in `user_id`, if the principal may act for that user. */
export function defineTodoTool<Input extends TodoInput, Output extends ToolOutput>(
  spec: TodoToolSpec<Input, Output>,
): TodoTool {
  const { extensions = [], ...toolSpec } = spec;
  const toolWith = (input: Input) =>
    toolFromSpec<Todo, Input, Output>({
      ...toolSpec,
      input,
      rejected(issues, args, todo, ctx) {
        const { caller, problem } = callOf(spec.name, args, todo, ctx);
        const error = problem ?? rejectionOf(issues[0]?.message ?? '');
        countRejection(error, caller, todo, ctx);
        return error;
      },
      run: (args, todo, ctx) => answer(spec, args, todo, ctx),
    });
  const all = toolWith(spec.input);
  return { core: extensions.length === 0 ? all : toolWith(without(spec.input, extensions)), all };
}

/** A tool beyond the contract. */
export function defineExtraTool<Input extends TodoInput, Output extends ToolOutput>(
  spec: TodoToolSpec<Input, Output>,
): TodoTool {
  return { ...defineTodoTool(spec), core: undefined };
}

/** The same schema without some arguments, which are then ignored like every unknown argument. */
function without<Input extends TodoInput>(input: Input, names: readonly string[]): Input {
  const shape = Object.entries(input.shape).filter(([name]) => !names.includes(name));
  // All arguments are optional for Zod, so the output of the smaller schema has the same type.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return z.object(Object.fromEntries(shape)).meta(input.meta() ?? {}) as unknown as Input;
}

/** Who calls, and why that principal may not, if so. */
function callOf(
  tool: string,
  { user_id: userId }: Readonly<Record<string, unknown>>,
  todo: Todo,
  { principal, signal }: RequestContext,
) {
  const { user: actor } = principal;
  const claimed = typeof userId === 'string' ? userId : '';
  const isOwn = userId === 'me' || userId === actor;
  // One user may act for the delegated users: a backend for the users that it authenticates.
  const mayAct = isOwn || (actor === todo.user && todo.delegatedUsers.has(claimed));
  const caller = { actor, user: isOwn ? actor : claimed, tool, signal };
  return { caller, problem: mayAct ? undefined : userNotFound(actor) };
}

async function answer<Input extends TodoInput, Output extends ToolOutput>(
  { name, run }: TodoToolSpec<Input, Output>,
  args: z.output<Input>,
  todo: Todo,
  ctx: RequestContext,
): Promise<Awaited<Answer<Input, Output>>> {
  const { toolName, log, caller: requester } = ctx;
  const { caller, problem } = callOf(name, args, todo, ctx);
  try {
    if (problem !== undefined) throw problem;
    const agent = { key: requester.key, label: requester.label(), project: requester.project };
    return await run(args, { store: todo.store, caller, toolName, agent });
  } catch (error) {
    countRejection(error, caller, todo, ctx);
    if (error instanceof StoreUnavailable) {
      log.error('task database unavailable', { reason: error.reason, error });
    }
    throw error;
  }
}

/** The answer needs no data, so it does not wait for the database. */
function countRejection(
  rejection: unknown,
  caller: CallerContext,
  todo: Todo,
  { log }: RequestContext,
): void {
  // The store finds a wrong order, and counts nothing.
  const reason = rejection instanceof InvalidOrder ? 'invalid' : undefined;
  const outcome = rejection instanceof RejectedCall ? rejection.reason : reason;
  if (outcome === undefined) return;
  todo.store().then(
    (store) => store.recordRejection(caller, outcome),
    (error: unknown) => log.warn('a rejected call was not counted', { tool: caller.tool, outcome, error }),
  );
}
