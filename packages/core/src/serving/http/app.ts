import { type Context, Hono } from 'hono';
import type { Log } from '../../log/log.ts';
import type { ResourceMetadata } from './auth.ts';
import type { Guard } from './guards.ts';
import type { McpRoute } from './route.ts';
import { rpcError } from './responses.ts';

export interface HttpApp {
  /** MCP by path, for example `/mcp`. */
  readonly routes: ReadonlyMap<string, McpRoute>;
  /** Of a server with OAuth. */
  readonly metadata: ResourceMetadata | undefined;
  readonly guard: Guard;
  readonly log: Log;
}

/**
 * Creates the routes. The Host and Origin guards cover every route, the bearer token covers MCP. Without OAuth no
 * `.well-known` path exists: otherwise clients search for a login that does not exist.
 */
export function httpApp({ routes, metadata, guard, log }: HttpApp): Hono {
  // `/mcp/` is the same as `/mcp`: the documentation of other servers uses both.
  const app = new Hono({ strict: false });
  app.use(async (c, next) => {
    const answer = guard.answer(c.req.raw);
    if (answer !== undefined) return answer;
    await next();
    guard.expose(c.req.raw, c.res);
    return undefined;
  });
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  const documented = metadata === undefined ? [] : [new URL(metadata.url).pathname];
  for (const path of documented) app.all(path, (c) => metadata?.answer(c.req.raw) ?? c.notFound());
  for (const [path, route] of routes) app.all(path, (c) => route(c.req.raw));
  app.notFound((c) => notFound(c, [...routes.keys()]));
  app.onError((error) => {
    log.error('HTTP request failed', { error });
    return rpcError(500, -32_603, 'Internal error');
  });
  return app;
}

function notFound(c: Context, paths: readonly string[]): Response {
  return c.json({ error: 'Not found', hint: `MCP is served at ${paths.join(', ')}` }, 404);
}
