import {
  createMcpHandler,
  isLegacyRequest,
  type McpRequestContext,
  readRequestBody,
} from '@modelcontextprotocol/server';
import type { Principal } from '../../definition/context.ts';
import type { ServerDefinition } from '../../definition/server.ts';
import { bytesText } from '../limits.ts';
import { authInfoOf, principalOfAuth, type Shared } from '../protocol/connection.ts';
import { createServer } from '../protocol/server.ts';
import { HeaderCheckedServer, headerSchemaOf } from './parameter-headers.ts';
import { InFlight, rpcError, whenSent } from './responses.ts';
import { LegacySessions } from './sessions.ts';

/** One HTTP path that serves MCP in both eras. */
export interface Endpoint {
  handle(request: Request, principal: Principal): Promise<Response>;
  /** Resolves when every response is sent, at the latest after `ms` milliseconds. */
  idle(ms: number): Promise<void>;
  close(): Promise<void>;
}

/** @param stateless serves the legacy era without sessions, so without elicitation, roots and streams */
export function endpoint(definition: ServerDefinition, shared: Shared, stateless: boolean): Endpoint {
  const bodies = new WeakMap<Request, unknown>();
  const build = async ({ era, authInfo, requestInfo }: McpRequestContext) => {
    const principal = principalOfAuth(authInfo);
    const server = createServer(definition, { era, transport: 'http', principal }, shared);
    if (era === 'legacy' || requestInfo === undefined) return server;
    const schema = await headerSchemaOf(definition, principal, bodies.get(requestInfo));
    return schema === undefined ? server : new HeaderCheckedServer(definition.identity, server, schema);
  };
  const perRequest = createMcpHandler(build, {
    legacy: stateless ? 'stateless' : 'reject',
    maxRequestBodySize: shared.limits.bodyBytes,
    onerror: (error) => shared.log.debug('HTTP transport error', { error }),
    ...(definition.changes === undefined ? {} : { bus: definition.changes }),
  });
  const inFlight = new InFlight();
  const sessions = stateless ? undefined : new LegacySessions(definition, shared);

  async function answer(request: Request, principal: Principal, body: unknown): Promise<Response> {
    if (sessions !== undefined && (await isLegacyRequest(request, body))) {
      return sessions.handle(request, principal, body);
    }
    bodies.set(request, body);
    return perRequest.fetch(request, { authInfo: authInfoOf(principal), parsedBody: body });
  }

  return {
    async handle(request, principal) {
      if (request.method !== 'POST') return answer(request, principal, undefined);
      const body = await parsedBody(request, shared.limits.bodyBytes);
      if (body instanceof Response) return body;
      if (isSubscription(body)) return answer(request, principal, body);
      const done = inFlight.begin();
      try {
        return whenSent(await answer(request, principal, body), done);
      } catch (error) {
        done();
        throw error;
      }
    },
    idle: (ms) => inFlight.idle(ms),
    async close() {
      await Promise.all([perRequest.close(), sessions?.close()]);
    },
  };
}

/** @returns the parsed body, or the answer to a body that is too long or not JSON */
async function parsedBody(request: Request, maxBytes: number): Promise<unknown> {
  try {
    const text = await bodyText(request, maxBytes);
    if (text === undefined) return rpcError(413, -32_600, `Message exceeds ${bytesText(maxBytes)}`);
    return JSON.parse(text);
  } catch {
    // Not JSON, or the client disconnected while it sent the body: then no client reads this answer.
    return rpcError(400, -32_700, 'Parse error: the body must be one JSON-RPC message');
  }
}

/** @returns undefined if the body is longer than the limit */
async function bodyText(request: Request, maxBytes: number): Promise<string | undefined> {
  const declared = request.headers.get('content-length');
  // Node reads no more than the declared length, and the adapter reads this form without a web stream.
  if (declared !== null) return Number(declared) > maxBytes ? undefined : request.text();
  const body = await readRequestBody(request, maxBytes);
  return body.tooLarge ? undefined : body.text;
}

/** Such a stream stays open until the client disconnects, so a closing server must not wait for it. */
function isSubscription(body: unknown): boolean {
  return (
    typeof body === 'object' && body !== null && 'method' in body && body.method === 'subscriptions/listen'
  );
}
