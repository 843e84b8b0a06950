import { GRACE_MS } from '@deskside/core/base';
import type { Socket } from 'node:net';
import type { ServerDefinition } from '@deskside/core';
import { localIso } from '@deskside/core/dates';
import type { ServeAttached } from '@deskside/core/internal';
import { callerOf } from '@deskside/gateway';
import type { SessionHello } from './hello.ts';
import type { SessionStatus } from './desk-status.ts';

/** For a client that does not read its last answers. */
const FLUSH_MS = 1000;

/** One client, attached to a desk. */
export type Session = ReturnType<typeof openSession>;

/** Serves one client over its socket, from its first JSON-RPC message on. */
export function openSession(
  hello: SessionHello,
  socket: Socket,
  user: string,
  definition: ServerDefinition,
  serveAttached: ServeAttached,
) {
  const { session, name, profile, pid, workingDirectory, path, env } = hello;
  // A client that has ended its input still gets the answers to its open calls.
  socket.allowHalfOpen = true;
  const since = new Date();
  const client = {
    principal: {
      user,
      ...(name === undefined ? {} : { token: name }),
      ...(profile === undefined ? {} : { profile }),
    },
    session,
    process: { pid, workingDirectory, env },
  };
  const serving = serveAttached(definition, client, { input: socket, output: socket });
  const closed = close();

  async function close(): Promise<void> {
    await serving.closed;
    if (socket.destroyed) return;
    // Written answers must arrive, but a client that reads nothing must not hold the session.
    const limit = setTimeout(() => socket.destroy(), FLUSH_MS);
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    // Also after an error: a client may have been killed.
    socket.once('close', () => resolve());
    socket.destroySoon();
    await gone;
    clearTimeout(limit);
  }

  return {
    process: client.process,
    /** PATH of the client. */
    path,
    /** Resolves when nothing of the session is left. */
    closed,
    status: (): SessionStatus => ({
      session,
      name,
      label: callerOf(client.process)?.label(),
      pid,
      workingDirectory,
      since: localIso(since),
      openCalls: serving.openRequests(),
    }),
    /** Lets open calls finish for 1.5 s. The client looks for a desk when it needs one. */
    async end(): Promise<void> {
      // The server waits until the client has read its answers.
      const limit = setTimeout(() => socket.destroy(), GRACE_MS + FLUSH_MS);
      void serving.close();
      await closed;
      clearTimeout(limit);
    },
  };
}
