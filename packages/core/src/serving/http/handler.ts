import { DEFAULT_USER } from '../../definition/context.ts';
import type { ServerDefinition } from '../../definition/server.ts';
import { createLog, type Log } from '../../log/log.ts';
import { standardError } from '../../run/standard-streams.ts';
import type { Limits } from '../limits.ts';
import { GRACE_MS, sharedBy } from '../protocol/connection.ts';
import { endpoint } from './endpoint.ts';
import { type AccessOptions, createGuard } from './guards.ts';
import { authenticator, mcpRoute, type TokenAuth } from './route.ts';

export interface HttpHandlerOptions extends AccessOptions {
  readonly auth: TokenAuth;
  /** The owner of the token. Default `owner`. */
  readonly user?: string;
  /** Serves the legacy era without sessions. Default false. */
  readonly stateless?: boolean;
  readonly log?: Log;
  /** Encrypts session ids and the state of elicitations. Default: derived from `auth.token`, else random. */
  readonly secret?: string;
  /** Limits that differ from the defaults. */
  readonly limits?: Partial<Limits>;
}

/** MCP for one path of an existing web application. */
export interface HttpHandler {
  /**
   * Answers a request that the application routes to it, with the same guards and limits as `serve`. The body must not
   * have been read: mount it before body parsers.
   */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Lets running requests finish for at most 1.5 s, aborts the others, and stops. */
  close(): Promise<void>;
}

/**
 * Serves a definition in an existing application: in hono as `app.all('/mcp', (c) => handler.fetch(c.req.raw))`, in
 * express and node:http through `getRequestListener(handler.fetch)` of `@hono/node-server`. The Host header must name
 * this machine or one of `allowHosts`.
 *
 * @throws StartError for a name in `allowHosts` or an origin in `allowOrigins` that is not one
 */
export function httpHandler(definition: ServerDefinition, options: HttpHandlerOptions): HttpHandler {
  const { auth, user = DEFAULT_USER, stateless = false } = options;
  const log = options.log ?? createLog({ level: 'info', write: (line) => standardError().write(line) });
  const secret = options.secret ?? (typeof auth === 'object' ? auth.token : undefined);
  const served = endpoint(definition, sharedBy(log, secret, options.limits), stateless);
  const route = mcpRoute(served, authenticator(auth, { user }));
  const guard = createGuard(options);
  return {
    async fetch(request) {
      const refusal = guard.answer(request);
      if (refusal !== undefined) return refusal;
      const response = await route(request);
      guard.expose(request, response);
      return response;
    },
    async close() {
      await served.idle(GRACE_MS);
      await served.close();
    },
  };
}
