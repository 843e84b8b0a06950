import {
  type AuthInfo,
  createMcpHandler,
  isLegacyRequest,
  type McpRequestContext,
} from '@modelcontextprotocol/server';
import type { Principal } from '../definition/context.ts';
import type { ServerDefinition } from '../definition/server.ts';
import { buildServer } from './build-server.ts';
import type { Shared } from './connection.ts';
import { InFlight } from './in-flight.ts';
import { LegacySessions } from './legacy-sessions.ts';
import { rpcError } from './rpc-error.ts';
import { whenSent } from './when-sent.ts';

/** One address that speaks MCP in both eras. */
export interface Endpoint {
  handle(request: Request, principal: Principal): Promise<Response>;
  /** Resolves when every answer is sent, at the latest after `ms` milliseconds. */
  idle(ms: number): Promise<void>;
  close(): Promise<void>;
}

/** Bytes of a request body; the SDK's own default. */
export const BODY_LIMIT = 4 * 1024 * 1024;

/** @param stateless serves the legacy era without sessions, for replicas: no elicitation, roots or streams there */
export function endpoint(definition: ServerDefinition, shared: Shared, stateless: boolean): Endpoint {
  const build = ({ era, authInfo }: McpRequestContext) =>
    buildServer(definition, { era, principal: principalOf(authInfo) }, shared);
  const perRequest = createMcpHandler(build, {
    legacy: stateless ? 'stateless' : 'reject',
    maxRequestBodySize: BODY_LIMIT,
    onerror: (error) => shared.log.debug('http', { error }),
    ...(definition.changes === undefined ? {} : { bus: definition.changes }),
  });
  const inFlight = new InFlight();
  const sessions = stateless ? undefined : new LegacySessions(definition, shared);

  async function answer(request: Request, principal: Principal, body: unknown): Promise<Response> {
    if (sessions !== undefined && (await isLegacyRequest(request, body))) {
      return sessions.handle(request, principal, body);
    }
    return perRequest.fetch(request, { authInfo: authInfoOf(principal), parsedBody: body });
  }

  return {
    async handle(request, principal) {
      if (request.method !== 'POST') return answer(request, principal, undefined);
      const body = await parsedBody(request);
      if (body === undefined)
        return rpcError(400, -32_700, 'Parse error: the body must be one JSON-RPC message');
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

async function parsedBody(request: Request): Promise<unknown> {
  try {
    return await request.json();
  } catch {
    return undefined;
  }
}

/** A stream that stays open until the client goes: waiting for it would be waiting for nothing. */
function isSubscription(body: unknown): boolean {
  return (
    typeof body === 'object' && body !== null && 'method' in body && body.method === 'subscriptions/listen'
  );
}

/** The SDK carries who calls to the factory as its AuthInfo; the token itself goes no further. */
function authInfoOf(principal: Principal): AuthInfo {
  return { token: '', clientId: principal.user, scopes: [] };
}

function principalOf(authInfo: AuthInfo | undefined): Principal {
  if (authInfo === undefined) throw new Error('a request without a principal');
  return { user: authInfo.clientId };
}
