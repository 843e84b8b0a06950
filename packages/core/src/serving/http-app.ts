import { hostHeaderValidation, originValidation } from '@modelcontextprotocol/hono';
import { isJsonContentType } from '@modelcontextprotocol/server';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { secureHeaders } from 'hono/secure-headers';
import type { Log } from '../log/log.ts';
import { BODY_LIMIT, type Endpoint } from './endpoint.ts';
import type { Authenticate } from './principals.ts';
import { rpcError } from './rpc-error.ts';

export interface HttpApp {
  /** Paths, each with what answers there: `/mcp`. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly authenticate: Authenticate;
  /** Names by which this server may be addressed, and from whose pages; all others are refused. */
  readonly hostNames: readonly string[];
  readonly log: Log;
}

/**
 * The routes: every one behind the Host and Origin guards, MCP behind the bearer token too. A 401 says `Bearer`
 * and nothing of OAuth, and there is nothing well-known: else clients start looking for a login that is not there.
 */
export function httpApp({ endpoints, authenticate, hostNames, log }: HttpApp): Hono {
  const app = new Hono();
  app.use(hostHeaderValidation([...hostNames]), originValidation([...hostNames]), secureHeaders());
  app.use(bodyLimit({ maxSize: BODY_LIMIT, onError: () => rpcError(413, -32_600, 'Message exceeds 4 MB') }));
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  for (const [path, endpoint] of endpoints) {
    app.on(['GET', 'POST', 'DELETE'], path, async (c) => {
      const principal = await authenticate(c.req.header('authorization'));
      if (principal === undefined) return unauthorized();
      if (c.req.method === 'POST' && !isJsonContentType(c.req.header('content-type') ?? null)) {
        return rpcError(415, -32_600, 'Content-Type must be application/json');
      }
      return endpoint.handle(c.req.raw, principal);
    });
    app.all(path, () => rpcError(405, -32_600, 'Method not allowed', { Allow: 'GET, POST, DELETE' }));
  }
  app.notFound((c) => notFound(c, [...endpoints.keys()]));
  app.onError((error) => {
    log.error('http', { error });
    return rpcError(500, -32_603, 'Internal error');
  });
  return app;
}

function unauthorized(): Response {
  return rpcError(401, -32_001, 'Unauthorized: send the bearer token', { 'WWW-Authenticate': 'Bearer' });
}

function notFound(c: Context, paths: readonly string[]): Response {
  return c.json({ error: 'Not found', hint: `MCP is served at ${paths.join(', ')}` }, 404);
}
