import { type RequestContext, ToolError, toolDefiner } from '@deskside/core';
import { Refused } from '../rules/refused.ts';
import { noSuchTask, taskIdOf } from '../rules/task-id.ts';
import { StoreBusy, StoreUnavailable } from '../store/store-failures.ts';
import type { Call, Task } from '../store/task-store.ts';
import type { Todo } from '../todo.ts';

export const defineTodoTool = toolDefiner<Todo>();

/**
 * Does a tool's work for the user it names, once that is known to be the caller or somebody the caller may act
 * for. Whatever refuses the call stands in the audit before the caller hears of it.
 */
export async function forUser<T>(
  tool: string,
  userId: unknown,
  todo: Todo,
  { principal, log }: RequestContext,
  work: (call: Call) => Promise<T>,
): Promise<T> {
  const user = userNamed(userId, principal.user, todo);
  const call = { actor: principal.user, user: user ?? (typeof userId === 'string' ? userId : ''), tool };
  try {
    if (user === undefined) throw userNotFound();
    return await work(call);
  } catch (error) {
    if (error instanceof Refused)
      await todo.store.refuse(call, error.outcome, error.taskId).catch(asToolError);
    return asToolError(error);
  }

  function asToolError(error: unknown): never {
    if (error instanceof StoreUnavailable) log.error('task database unavailable', { error });
    throw storeFailure(error) ?? error;
  }
}

/**
 * The same for a tool that does something to one task, where the store itself keeps the audit of a wrong id.
 *
 * @param work judges the other arguments before it is given the id: whether there is such a task comes last
 */
export async function onTask(
  tool: string,
  { user_id: user, task_id: given }: { readonly user_id?: unknown; readonly task_id?: unknown },
  todo: Todo,
  ctx: RequestContext,
  work: (call: Call) => (id: number) => Promise<Task | undefined>,
): Promise<Task> {
  const task = await forUser(tool, user, todo, ctx, async (call) => {
    const onId = work(call);
    return onId(taskIdOf(given));
  });
  if (task === undefined) throw noSuchTask(taskIdOf(given));
  return task;
}

function userNamed(userId: unknown, caller: string, { user, delegatedUsers }: Todo): string | undefined {
  if (userId === 'me' || userId === caller) return caller;
  const delegated = typeof userId === 'string' && caller === user && delegatedUsers.has(userId);
  return delegated ? userId : undefined;
}

function userNotFound(): Refused {
  const next = 'Use user_id "me": the server knows whose tasks these are.';
  return new Refused('user_not_found', { exactly: { error: 'User not found' }, next });
}

function storeFailure(error: unknown): ToolError | undefined {
  if (error instanceof StoreBusy) {
    return new ToolError({
      error: 'The task database is busy',
      code: 'BUSY',
      hint: 'Nothing was changed. Make the same call again in a few seconds.',
    });
  }
  if (error instanceof StoreUnavailable) {
    return new ToolError({
      error: 'The task database cannot be used',
      code: 'UNAVAILABLE',
      hint: "Nothing was changed. Tell the person that the todo server's log says why.",
    });
  }
  return undefined;
}
