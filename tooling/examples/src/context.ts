import { type Awaitable, type Era, type Principal, type RequestContext, toolDefiner } from '@deskside/core';
import { z } from 'zod';

export interface Directory {
  /** The user's tasks. */
  readonly tasksOf: (user: Principal) => Awaitable<readonly string[]>;
}

/** The keys of the answer, by era. */
const words: Record<Era, string> = { legacy: '2025-11-25 or older', modern: '2026-07-28' };

const callerOf = ({ caller: { client } }: RequestContext) => client?.title ?? client?.name ?? 'unknown';

export const myTasks = toolDefiner<Directory>()({
  name: 'my_tasks',
  title: 'My tasks',
  description: 'Returns the tasks of the authenticated user.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.object({}),
  output: z.object({
    user: z.string(),
    client: z.string(),
    protocol: z.string(),
    tasks: z.array(z.string()),
  }),
  async run(_args, { tasksOf }, ctx) {
    const { principal, era, log, correlationId } = ctx;
    // On stderr, at the level that the program was started with.
    log.info('tasks read', { user: principal.user, correlationId });
    // A protocol message to the client, if the server is defined with `logging`.
    await ctx.message('info', 'Reading tasks', 'tasks');
    return {
      user: principal.user,
      client: callerOf(ctx),
      protocol: words[era],
      tasks: [...(await tasksOf(principal))],
    };
  },
});
