import { hash, timingSafeEqual } from 'node:crypto';
import { isJsonContentType } from '@modelcontextprotocol/server';
import type { Principal } from '../../definition/context.ts';
import type { Endpoint } from './endpoint.ts';
import { rpcError } from './responses.ts';

/** Identifies the caller by the Authorization header; undefined rejects the request. */
export type Authenticate = (authorization: string | undefined) => Promise<Principal | undefined>;

/** The owner of a bearer token, or the callers that a function accepts. */
export type TokenAuth = { readonly token: string } | Authenticate;

/** Who may call over HTTP. `none` accepts everyone and works on loopback only. */
export type Auth = TokenAuth | 'none';

/** Answers a request to one path that serves MCP. */
export type McpRoute = (request: Request) => Promise<Response>;

const METHODS = ['GET', 'POST', 'DELETE'];

/** Checks method, token and content type, in this order, before anything reads the body. */
export function mcpRoute(endpoint: Endpoint, authenticate: Authenticate): McpRoute {
  return async (request) => {
    if (!METHODS.includes(request.method)) {
      return rpcError(405, -32_600, 'Method not allowed', { Allow: METHODS.join(', ') });
    }
    const principal = await authenticate(request.headers.get('authorization') ?? undefined);
    if (principal === undefined) return unauthorized();
    if (request.method === 'POST' && !isJsonContentType(request.headers.get('content-type'))) {
      return rpcError(415, -32_600, 'Content-Type must be application/json');
    }
    return endpoint.handle(request, principal);
  };
}

/** A plain `Bearer` challenge: one with metadata starts a search for an OAuth login. */
function unauthorized(): Response {
  return rpcError(401, -32_001, 'Unauthorized: send the bearer token', { 'WWW-Authenticate': 'Bearer' });
}

/** @param owner the principal of a token, and of everyone if `auth` is `none` */
export function authenticator(auth: Auth, owner: Principal): Authenticate {
  if (typeof auth === 'function') return auth;
  if (auth === 'none') return async () => owner;
  return bearerToken(auth.token, owner);
}

/** Compares in constant time. */
function bearerToken(token: string, principal: Principal): Authenticate {
  const expected = digest(token);
  return async (authorization) => {
    const [, given] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
    return given !== undefined && timingSafeEqual(digest(given), expected) ? principal : undefined;
  };
}

function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
