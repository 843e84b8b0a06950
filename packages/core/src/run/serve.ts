import type { Principal } from '../definition/context.ts';
import type { ServerDefinition } from '../definition/server.ts';
import { createLog, type Log } from '../log/log.ts';
import type { Shared } from '../serving/connection.ts';
import type { Authenticate } from '../serving/principals.ts';
import type { Serving } from '../serving/serving.ts';
import { stateSeal } from '../serving/state-seal.ts';
import { serveStreams, type StdioStreams } from '../serving/stdio.ts';
import { redirectConsole } from './redirect-console.ts';
import { endOnSignals } from './signals.ts';
import { standardError } from './standard-streams.ts';

/**
 * Who may call over HTTP: bearers of a token, whom a function says, or `none` checked at all, which is for
 * programs and tests on loopback and never a flag.
 */
export type Auth = { readonly token: string } | Authenticate | 'none';

export interface HttpServeOptions {
  readonly host?: string;
  readonly port?: number;
  readonly stateless?: boolean;
  readonly auth: Auth;
}

export interface ServeOptions {
  /** The one person on stdio, and behind the token on HTTP. Default `owner`. */
  readonly user?: string;
  /** HTTP instead of stdio. */
  readonly http?: HttpServeOptions;
  /** Default: this process's own. */
  readonly streams?: StdioStreams;
  readonly log?: Log;
  /** Default true: SIGTERM and SIGINT close the server, and its end ends the process. */
  readonly ownsProcess?: boolean;
  /** Called when the server is closed, to close what it used. */
  readonly onClose?: () => Promise<void>;
}

/**
 * Serves a definition over stdio, or over HTTP at `/mcp`, or several at several paths, in both protocol eras.
 *
 * @throws StartError when it can't listen
 */
export async function serve(
  served: ServerDefinition | ReadonlyMap<string, ServerDefinition>,
  options: ServeOptions = {},
): Promise<Serving> {
  const log = options.log ?? createLog({ level: 'info', write: (line) => standardError().write(line) });
  const principal = { user: options.user ?? 'owner' };
  const shared = { log, seal: stateSeal() };
  const routes = served instanceof Map ? served : new Map([['/mcp', served]]);
  const serving =
    options.http === undefined
      ? serveStreams(only(routes), principal, options.streams ?? ownStreams(), shared)
      : await serveOverHttp(routes, principal, options.http, shared);
  const closed = serving.closed.then(() => options.onClose?.());
  if (options.ownsProcess !== false) endOnSignals(serving, closed, log);
  return { ...serving, closed };
}

async function serveOverHttp(
  routes: ReadonlyMap<string, ServerDefinition>,
  principal: Principal,
  { host: address = '127.0.0.1', port = 3333, stateless = false, auth }: HttpServeOptions,
  shared: Shared,
): Promise<Serving> {
  // The HTTP leg costs a third of a cold start, and stdio never needs it.
  const { serveHttp } = await import('../serving/http.ts');
  return serveHttp(
    routes,
    { host: address, port, stateless, authenticate: await authenticator(auth, principal) },
    shared,
  );
}

async function authenticator(auth: Auth, principal: Principal): Promise<Authenticate> {
  if (typeof auth === 'function') return auth;
  if (auth === 'none') return async () => principal;
  const { bearerToken } = await import('../serving/principals.ts');
  return bearerToken(auth.token, principal);
}

function only(routes: ReadonlyMap<string, ServerDefinition>): ServerDefinition {
  const [definition] = routes.values();
  if (definition === undefined) throw new Error('nothing to serve');
  return definition;
}

function ownStreams(): StdioStreams {
  redirectConsole();
  return { input: process.stdin, output: process.stdout };
}
