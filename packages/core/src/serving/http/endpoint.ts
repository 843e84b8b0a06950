import {
  createMcpHandler,
  isLegacyRequest,
  type McpRequestContext,
  PROTOCOL_VERSION_META_KEY,
  readRequestBody,
  type Server,
} from '@modelcontextprotocol/server';
import type { Principal } from '../../definition/context.ts';
import type { ServerDefinition } from '../../definition/server.ts';
import { identityName } from '../../errors/index.ts';
import { parsedMessage } from '../../base/json.ts';
import { bytesText, isObject } from '../../base/values.ts';
import { authInfoOf, type Shared } from '../protocol/connection.ts';
import { createServer } from '../protocol/protocol-server.ts';
import { streamWatching } from '../protocol/watching.ts';
import { turnOf } from '../turns.ts';
import { negotiated, withoutQuestions } from './accept.ts';
import { scopeChallenge } from './auth.ts';
import { calledTool, HeaderCheckedServer, headerSchemaOf } from './parameter-headers.ts';
import { InFlight, rpcError } from './responses.ts';
import { SessionTransport, whenAnswered } from './session-transport.ts';
import { LegacySessions } from './sessions.ts';

/** One HTTP path that serves MCP in both eras. */
export interface Endpoint {
  /** False: the path does not exist for this caller. */
  isFor(principal: Principal): boolean;
  /** @param given the body of a POST, parsed, if the application has read it */
  handle(request: Request, principal: Principal, given?: unknown): Promise<Response>;
  /** Resolves when every request is answered, at the latest after `ms` milliseconds. */
  idle(ms: number): Promise<void>;
  close(): Promise<void>;
}

export interface EndpointOptions {
  /** Serves the legacy era without sessions, so without elicitation, roots and streams. */
  readonly stateless: boolean;
  /** Where clients learn how to log in. */
  readonly metadataUrl?: string | undefined;
}

export function endpoint(
  definition: ServerDefinition,
  shared: Shared,
  { stateless, metadataUrl }: EndpointOptions,
): Endpoint {
  /** Of the modern era: each request has its own server object. */
  const servers = new Map<Request, Server | HeaderCheckedServer>();
  const serverOf = ({ requestInfo }: McpRequestContext) => {
    const server = requestInfo && servers.get(requestInfo);
    if (server === undefined) throw new Error('A request has no server object.');
    return server;
  };
  const streams = streamWatching(definition);
  const perRequest = createMcpHandler(serverOf, {
    legacy: 'reject',
    maxRequestBodySize: shared.limits.bodyBytes,
    onerror: (error) => shared.log.debug('HTTP transport error', { error }),
    ...(streams.bus === undefined ? {} : { bus: streams.bus }),
  });
  const inFlight = new InFlight();
  const legacy = stateless ? statelessRequests(definition, shared) : new LegacySessions(definition, shared);

  /** @param done called when the request is answered, or when its client has disconnected */
  async function answer(
    request: Request,
    principal: Principal,
    body: unknown,
    done: () => void,
  ): Promise<Response> {
    if (!claimsModern(body) && (await isLegacyRequest(request, body))) {
      const begun = withoutQuestions(request, body);
      const response = await legacy.handle(request, principal, begun);
      whenAnswered(request, done);
      return negotiated(request, response);
    }
    const server = createServer(definition, { era: 'modern', transport: 'http', principal }, shared);
    server.onclose = done;
    const schema = await headerSchemaOf(definition, principal, body);
    const checked = schema && new HeaderCheckedServer(definition.identity, server, schema);
    servers.set(request, checked ?? server);
    const options = { authInfo: authInfoOf(principal), parsedBody: body };
    const response = await perRequest.fetch(request, options).finally(() => servers.delete(request));
    // A server that is still connected closes when it has sent its answer.
    if (server.transport === undefined) done();
    // Node knows if the client wants to close the connection. The SDK keeps that of each stream open.
    response.headers.delete('connection');
    return negotiated(request, response);
  }

  return {
    isFor: (principal) => definition.isFor?.(principal) !== false,
    async handle(request, principal, given) {
      if (request.method !== 'POST') return answer(request, principal, undefined, () => undefined);
      const { user, token = '' } = principal;
      await turnOf(request.headers.get('mcp-session-id') ?? `${user} ${token}`);
      const body = given ?? (await parsedBody(request, shared));
      if (body instanceof Response) return body;
      const missing = await missingScopes(definition, principal, body);
      if (missing.length > 0) return scopeChallenge(principal, missing, metadataUrl);
      if (isSubscription(body)) {
        const view = { era: 'modern', toolName: identityName, principal } as const;
        return streams.open(body, view, () => answer(request, principal, body, () => undefined));
      }
      const done = inFlight.begin();
      try {
        return await answer(request, principal, body, done);
      } catch (error) {
        done();
        throw error;
      }
    },
    idle: (ms) => inFlight.idle(ms),
    async close() {
      await Promise.all([perRequest.close(), legacy.close()]);
    },
  };
}

/** Streamable HTTP of the legacy era without sessions: each POST has its own server object. */
function statelessRequests(definition: ServerDefinition, shared: Shared) {
  const connected = new Set<Server>();
  return {
    async handle(request: Request, principal: Principal, body: unknown): Promise<Response> {
      if (request.method !== 'POST') return rpcError(405, -32_000, 'Method not allowed.', { Allow: 'POST' });
      const server = createServer(definition, { era: 'legacy', transport: 'http', principal }, shared);
      const transport = new SessionTransport();
      await server.connect(transport);
      connected.add(server);
      server.onclose = () => connected.delete(server);
      // No client can ask for the answer again.
      request.signal.addEventListener('abort', () => void server.close(), { once: true });
      try {
        return await transport.receive(body, { authInfo: authInfoOf(principal), request });
      } finally {
        // The transport has yet to forget the request that it answers.
        whenAnswered(request, () => queueMicrotask(() => void server.close()));
      }
    },
    async close() {
      await Promise.all([...connected].map((server) => server.close()));
    },
  };
}

/** @returns the scopes that a call in the body needs and the access token does not have */
async function missingScopes(
  definition: ServerDefinition,
  principal: Principal,
  body: unknown,
): Promise<readonly string[]> {
  const { scopes } = principal;
  if (scopes === undefined || definition.toolScopes === undefined) return [];
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  const needed: string[] = [];
  for (const message of messages) {
    const name = calledTool(message);
    if (name !== undefined) needed.push(...(await definition.toolScopes(name, principal)));
  }
  return needed.filter((scope) => !scopes.includes(scope));
}

/** @returns the parsed body, or the answer to a body that is too long, not JSON or not there to read */
async function parsedBody(request: Request, { limits, log }: Shared): Promise<unknown> {
  try {
    const text = await bodyText(request, limits.bodyBytes);
    if (text === undefined) return rpcError(413, -32_600, `Message exceeds ${bytesText(limits.bodyBytes)}`);
    return parsedMessage(text);
  } catch (error) {
    // The specification of fetch has this error for a body that was read before.
    if (error instanceof TypeError && !request.signal.aborted) {
      log.error('The body was read before MCP got the request. Mount MCP before body parsers.', { error });
      return rpcError(500, -32_603, 'Internal error');
    }
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

/**
 * A request that names its protocol version in `_meta` belongs to the modern era, whatever else it contains. This is the
 * SDK's own rule; asking the SDK costs three schemas.
 */
function claimsModern(body: unknown): boolean {
  const params = isObject(body) ? body['params'] : undefined;
  const meta = isObject(params) ? params['_meta'] : undefined;
  return isObject(meta) && PROTOCOL_VERSION_META_KEY in meta;
}

/** Such a stream stays open until the client disconnects, so a closing server must not wait for it. */
function isSubscription(body: unknown): boolean {
  return isObject(body) && body['method'] === 'subscriptions/listen';
}
