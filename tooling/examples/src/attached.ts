import type { Server, Socket } from 'node:net';
import {
  type AttachedClient,
  type AttachedOptions,
  attachedServer,
  type AttachedServing,
  type ClientProcess,
  DEFAULT_USER,
  type ServeAttached,
  type ServerDefinition,
  silentLog,
} from '@deskside/core';
import { type Closable, ownProcess } from '@deskside/core/cli';

/** Serves every client that connects to a private socket. Each connection is a separate session. */
export function serveClients(definition: ServerDefinition, listener: Server): Closable {
  const options: AttachedOptions = { log: silentLog, secret: 'the same after a restart' };
  const serveAttached: ServeAttached = attachedServer(options);
  const sessions = new Set<AttachedServing>();
  listener.on('connection', (socket: Socket) => {
    const process: ClientProcess = { pid: 4711, workingDirectory: '/home/ada/shop', env: { DISPLAY: ':0' } };
    const client: AttachedClient = {
      principal: { user: DEFAULT_USER, token: 'left screen' },
      session: `socket/${sessions.size}`,
      process,
    };
    const serving = serveAttached(definition, client, { input: socket, output: socket });
    sessions.add(serving);
    void serving.closed.then(() => socket.destroy());
  });
  const closed = new Promise<void>((resolve) => listener.once('close', resolve));
  return {
    closed,
    async close() {
      listener.close();
      await Promise.all([...sessions].map((serving) => serving.close()));
      await closed;
    },
  };
}

/** Ends with the process: SIGTERM and SIGINT close the clients' connections first. */
export function runClients(definition: ServerDefinition, listener: Server): void {
  const clients = serveClients(definition, listener);
  ownProcess(clients, clients.closed, silentLog);
}
