import { randomUUID } from 'node:crypto';
import type { Log, RequestContext, ServerDefinition } from '@deskside/core';
import { identityName, messageOf } from '@deskside/core/errors';
import { inMount, type Mount } from './mount.ts';

const NAME = 'Deskside';

/**
 * Calls a tool of a mount for the desk itself. A failure is logged: the desk has no one to answer.
 *
 * @returns what the tool answers, undefined for a failure
 */
export async function systemCall(
  mount: Mount,
  tool: string,
  args: Readonly<Record<string, unknown>>,
  user: string,
  log: Log,
): ReturnType<ServerDefinition['callTool']> {
  try {
    return await inMount(mount, () => mount.definition.callTool(tool, args, systemContext(user, log)));
  } catch (error) {
    log.error('the desk cannot use a mount', { mount: mount.id, tool, error: messageOf(error) });
    return undefined;
  }
}

/** A request without a client: it has no session, and cannot ask. */
function systemContext(user: string, log: Log): RequestContext {
  const principal = { user };
  return {
    era: 'modern',
    toolName: identityName,
    principal,
    caller: {
      principal,
      client: undefined,
      session: undefined,
      key: `${user} ${NAME}`,
      connection: `${user} ${NAME}`,
      project: undefined,
      label: () => NAME,
    },
    transport: 'stdio',
    meta: {},
    signal: new AbortController().signal,
    correlationId: randomUUID(),
    log,
    input: {
      capabilities: {},
      responses: undefined,
      state: () => undefined,
      seal: () => Promise.reject(new Error('The desk asks no one.')),
    },
    waitForPerson: (work) => work(),
    progress: async () => undefined,
    message: async () => undefined,
  };
}
