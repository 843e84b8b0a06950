import { isJsonContentType } from '@modelcontextprotocol/server';
import type { Principal } from '../../definition/context.ts';
import type { Gate } from './auth.ts';
import type { Endpoint } from './endpoint.ts';
import { rpcError } from './responses.ts';

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
export function mcpRoute(endpoint: Endpoint, gate: Gate): McpRoute {
  return async (request, { principal, parsedBody } = {}) => {
    if (!METHODS.includes(request.method)) {
      return rpcError(405, -32_600, 'Method not allowed', { Allow: METHODS.join(', ') });
    }
    const caller = principal ?? (await gate(request));
    if (caller instanceof Response) return caller;
    if (!endpoint.isFor(caller)) return rpcError(404, -32_600, 'Not found');
    if (request.method === 'POST' && !isJsonContentType(request.headers.get('content-type'))) {
      return rpcError(415, -32_600, 'Content-Type must be application/json');
    }
    return endpoint.handle(request, caller, parsedBody);
  };
}
