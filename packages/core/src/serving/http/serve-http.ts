import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Principal } from '../../definition/context.ts';
import type { ServerDefinition } from '../../definition/server.ts';
import { StartError } from '../../errors/index.ts';
import { getOrAdd, GRACE_MS } from '../../base/values.ts';
import type { Serving, Shared } from '../protocol/connection.ts';
import { type Endpoint, endpoint } from './endpoint.ts';
import {
  type AccessOptions,
  createGuard,
  guarded,
  isLoopback,
  networkAddress,
  reachableAddress,
  settingName,
} from './guards.ts';
import { type Auth, gateOf, resourceMetadata, withResource } from './auth.ts';
import { mcpRoute } from './route.ts';

export interface HttpServeOptions extends AccessOptions {
  /**
   * The address to listen on. Default `127.0.0.1`. Beyond loopback, the Host header may be any name or address of this
   * machine.
   */
  readonly host?: string;
  /** Default 3333. 0 selects a free port. */
  readonly port?: number;
  /** Serves the legacy era without sessions, for replicas behind a load balancer. Default false. */
  readonly stateless?: boolean;
  readonly auth: Auth;
}

/** How long a connection stays open after an answer. With 5 s, many requests of agents would meet its end. */
const KEEP_ALIVE_MS = 75_000;
/** Milliseconds to send the last bytes and to let clients close their connections. */
const FLUSH_MS = 250;
const MAX_PORT = 65_535;
const LOOPBACK = '127.0.0.1';

type SettingText = (name: string, value: string | number) => string;

/**
 * @param routes servers by path, which may change; the first path is the one in `url`
 * @throws StartError if it cannot listen, or if `auth` is `none` and the address is not loopback
 */
export async function serveHttp(
  routes: ReadonlyMap<string, ServerDefinition>,
  owner: Principal,
  options: HttpServeOptions,
  shared: Shared,
): Promise<Serving> {
  const { host: address = LOOPBACK, port = 3333, stateless = false, auth, hasFlags = false } = options;
  const setting = (name: string, value: string | number) => settingName(hasFlags, name, String(value));
  if (auth === 'none' && !isLoopback(address)) {
    throw new StartError(
      `Without authentication HTTP listens on loopback only, not on ${address}. Set a token, or use ${setting('host', LOOPBACK)}.`,
    );
  }
  const metadata = resourceMetadata(auth);
  const endpoints = new Map<ServerDefinition, Endpoint>();
  const gate = gateOf(auth, owner, shared.log);
  const guard = createGuard(withResource(options, auth), address);
  const [path = ''] = routes.keys();
  const answer = (request: Request): Response | Promise<Response> => {
    // `/mcp/` is the same as `/mcp`: the documentation of other servers uses both.
    const asked = new URL(request.url).pathname.replace(/(?<=.)\/$/, '');
    if (asked === '/healthz') return Response.json({ status: 'ok' });
    const definition = routes.get(asked);
    // Names of mounts and profiles are for authenticated callers.
    if (definition === undefined)
      return Response.json({ error: 'Not found', hint: `MCP is served at ${path}` }, { status: 404 });
    const open = () => endpoint(definition, shared, { stateless, metadataUrl: metadata?.url });
    return mcpRoute(getOrAdd(endpoints, definition, open), gate, shared.log)(request);
  };
  // The Host and Origin guards cover every path, the bearer token covers MCP.
  const fetch = guarded(guard, (request) => metadata?.answer(request) ?? answer(request));
  const listener = getRequestListener(fetch);
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    void listener(request, response);
  });
  const closed = Promise.withResolvers<void>();
  server.on('close', closed.resolve);
  const bound = await listen(server, address, port, setting);
  const urlAt = (name: string) => `http://${name}:${bound.port}${path}`;
  const elsewhere = networkAddress(address);
  return {
    url: urlAt(reachableAddress(address)),
    ...(elsewhere === undefined ? {} : { networkUrl: urlAt(elsewhere) }),
    closed: closed.promise,
    async close() {
      server.close();
      const all = [...endpoints.values()];
      await Promise.all(all.map((each) => each.idle(GRACE_MS)));
      await Promise.all(all.map((each) => each.close()));
      const forcedClose = setTimeout(() => server.closeAllConnections(), FLUSH_MS);
      server.closeIdleConnections();
      await closed.promise;
      clearTimeout(forcedClose);
    },
  };
}

/** @throws StartError if the port is in use or the address is not a local one */
function listen(server: Server, address: string, port: number, setting: SettingText): Promise<AddressInfo> {
  const { promise, resolve, reject } = Promise.withResolvers<AddressInfo>();
  server.once('error', (error: NodeJS.ErrnoException) => {
    const problem = listenProblem(error.code, address, port, setting);
    reject(problem === undefined ? error : new StartError(problem, { cause: error }));
  });
  server.listen(port, address, () => {
    const bound = server.address();
    if (bound !== null && typeof bound === 'object') resolve(bound);
  });
  return promise;
}

function listenProblem(
  code: string | undefined,
  address: string,
  port: number,
  setting: SettingText,
): string | undefined {
  switch (code) {
    case 'EADDRINUSE': {
      const next = port === MAX_PORT ? port - 1 : port + 1;
      return `Port ${port} is already in use. Try ${setting('port', next)}.`;
    }
    case 'EACCES':
      return port > 1023
        ? `The system does not allow port ${port}: it may be reserved. Use another one, or ${setting('port', 0)} for a free port.`
        : `Port ${port} requires elevated privileges. Use a port above 1023, for example ${setting('port', 3333)}.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${address} is not a local address. Use ${setting('host', LOOPBACK)}.`;
    case 'EAFNOSUPPORT':
    case 'EAI_AGAIN':
      return `This machine cannot listen on ${address} (${code}). Use ${setting('host', LOOPBACK)}.`;
    default:
      return undefined;
  }
}
