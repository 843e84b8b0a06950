import { isJsonContentType } from '@modelcontextprotocol/server';
import type { Principal } from '../../definition/context.ts';
import type { Log } from '../../log.ts';
import { type Gate, loginFailure } from './auth.ts';
import type { Endpoint } from './endpoint.ts';
import { internalError, rpcError } from './responses.ts';

/** What an application knows of a request that it hands over. */
export interface GivenRequest {
  /** The caller, if the application has authenticated the request: then `auth` is not asked. */
  readonly principal?: Principal | undefined;
  /** The JSON of the body, if a body parser has read it. The limit for bodies is the parser's then. */
  readonly parsedBody?: unknown;
}

/** Answers a request to one path that serves MCP. */
export type McpRoute = (request: Request, given?: GivenRequest) => Promise<Response>;

const METHODS = ['GET', 'POST', 'DELETE'];

/** Checks method, caller and content type, in this order, before anything reads the body. */
export function mcpRoute(endpoint: Endpoint, gate: Gate, log: Log): McpRoute {
  const callerOf = async (request: Request, given: GivenRequest) => {
    try {
      return given.principal ?? (await gate(request));
    } catch (error) {
      log.warn('authentication failed', { error });
      return loginFailure(error);
    }
  };
  const answer = async (request: Request, given: GivenRequest) => {
    if (!METHODS.includes(request.method)) {
      return rpcError(405, -32_600, 'Method not allowed', { Allow: METHODS.join(', ') });
    }
    const caller = await callerOf(request, given);
    if (caller instanceof Response) return caller;
    if (!endpoint.isFor(caller)) return rpcError(404, -32_600, 'Not found');
    if (request.method === 'POST' && !isJsonContentType(request.headers.get('content-type'))) {
      return rpcError(415, -32_600, 'Content-Type must be application/json');
    }
    return endpoint.handle(request, caller, given.parsedBody);
  };
  return (request, given = {}) => answer(request, given).catch((error: unknown) => internalError(log, error));
}
