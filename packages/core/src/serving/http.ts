import type { AddressInfo } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { createAdaptorServer, type ServerType } from '@hono/node-server';
import { localhostAllowedHostnames } from '@modelcontextprotocol/server';
import type { ServerDefinition } from '../definition/server.ts';
import { StartError } from '../run/start-error.ts';
import type { Shared } from './connection.ts';
import { endpoint } from './endpoint.ts';
import { httpApp } from './http-app.ts';
import { GRACE_MS } from './line-transport.ts';
import type { Authenticate } from './principals.ts';
import type { Serving } from './serving.ts';

export interface HttpOptions {
  /** Address to listen on; beyond loopback the machine's own names and addresses are accepted as Host. */
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly stateless: boolean;
  readonly authenticate: Authenticate;
}

/** Milliseconds for the last bytes to leave, and for clients to let go of their connections. */
const FLUSH_MS = 250;

/** @param routes paths with the server that answers there, the first being the one to tell people of */
export async function serveHttp(
  routes: ReadonlyMap<string, ServerDefinition>,
  { host: address, port, stateless, authenticate }: HttpOptions,
  shared: Shared,
): Promise<Serving> {
  const endpoints = new Map(
    [...routes].map(([path, definition]) => [path, endpoint(definition, shared, stateless)] as const),
  );
  const app = httpApp({ endpoints, authenticate, hostNames: hostNames(address), log: shared.log });
  const server = createAdaptorServer({ fetch: app.fetch });
  const closed = Promise.withResolvers<void>();
  server.on('close', closed.resolve);
  const bound = await listen(server, address, port);
  const [path = ''] = routes.keys();
  return {
    url: `http://${address.includes(':') ? `[${address}]` : address}:${bound.port}${path}`,
    closed: closed.promise,
    async close() {
      server.close();
      const all = [...endpoints.values()];
      await Promise.all(all.map((each) => each.idle(GRACE_MS)));
      await Promise.all(all.map((each) => each.close()));
      const lastMoment = setTimeout(
        () => 'closeAllConnections' in server && server.closeAllConnections(),
        FLUSH_MS,
      );
      if ('closeIdleConnections' in server) server.closeIdleConnections();
      await closed.promise;
      clearTimeout(lastMoment);
    },
  };
}

/** @throws StartError when the port is taken or the address is not this machine's. */
function listen(server: ServerType, address: string, port: number): Promise<AddressInfo> {
  const { promise, resolve, reject } = Promise.withResolvers<AddressInfo>();
  server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, address, port)));
  server.listen(port, address, () => {
    const bound = server.address();
    if (bound !== null && typeof bound === 'object') resolve(bound);
  });
  return promise;
}

function listenError(error: NodeJS.ErrnoException, address: string, port: number): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new StartError(`Port ${port} is taken. Choose another: --port ${port + 1}`, { cause: error });
    case 'EACCES':
      return new StartError(`Port ${port} needs more rights. Choose one above 1023: --port 3333`, {
        cause: error,
      });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartError(`${address} is no address of this machine. Use --host 127.0.0.1`, {
        cause: error,
      });
    default:
      return error;
  }
}

function hostNames(address: string): string[] {
  const local = localhostAllowedHostnames();
  if (local.includes(address) || address === '::1' || address.startsWith('127.')) return [...local, address];
  const addresses = Object.values(networkInterfaces()).flatMap((interfaces = []) =>
    interfaces.map((each) => (each.family === 'IPv6' ? `[${each.address}]` : each.address)),
  );
  return [...local, address, hostname().toLowerCase(), ...addresses];
}
