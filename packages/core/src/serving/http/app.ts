import { Hono } from 'hono';
import type { Log } from '../../log/log.ts';
import type { ResourceMetadata } from './auth.ts';
import type { Guard } from './guards.ts';
import type { McpRoute } from './route.ts';
import { internalError } from './responses.ts';

export interface HttpApp {
  /** MCP at a path, for example `/mcp`; undefined for other paths. */
  readonly routeAt: (path: string) => McpRoute | undefined;
  /** The path that a wrong request is told. */
  readonly path: string;
  /** Of a server with OAuth. */
  readonly metadata: ResourceMetadata | undefined;
  readonly guard: Guard;
  readonly log: Log;
}

/**
 * Creates the routes. The Host and Origin guards cover every route, the bearer token covers MCP. Without OAuth no
 * `.well-known` path exists: otherwise clients search for a login that does not exist.
 */
export function httpApp({ routeAt, path: first, metadata, guard, log }: HttpApp): Hono {
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
  app.all('*', (c) => routeAt(c.req.path.replace(/(?<=.)\/$/, ''))?.(c.req.raw) ?? c.notFound());
  // Names of mounts and profiles are for authenticated callers.
  app.notFound((c) => c.json({ error: 'Not found', hint: `MCP is served at ${first}` }, 404));
  app.onError((error) => internalError(log, error));
  return app;
}
