import { timingSafeEqual } from 'node:crypto';
import {
  bearerAuthChallengeResponse,
  getOAuthProtectedResourceMetadataUrl,
  OAuthError,
  OAuthErrorCode,
  verifyBearerToken,
} from '@modelcontextprotocol/server';
import type { Claims, Principal } from '../../definition/context.ts';
import { errnoOf } from '../../errors/index.ts';
import type { Log } from '../../log.ts';
import type { AccessOptions } from './guards.ts';
import { rpcError } from './responses.ts';

/**
 * Identifies the caller by the Authorization header. Undefined answers 401, and so does the error of a library for a token that is
 * invalid or has expired. Any other error answers 503, so that clients keep their login. Errors are logged.
 */
export type Authenticate = (authorization: string | undefined) => Promise<Principal | undefined>;

/** When a client asks again whose login could not be checked. */
const RETRY_SECONDS = 5;

/** What a verifier has read from an access token. */
export interface VerifiedToken {
  /** The user of the principal, for example the claim `sub`. */
  readonly user: string;
  /** For whom the token was issued: the claim `aud`. */
  readonly audience: string | readonly string[] | undefined;
  /** Seconds since 1970: the claim `exp`. A token without an end is refused. */
  readonly expiresAt: number | undefined;
  readonly scopes: readonly string[];
  /** Default: none. */
  readonly claims?: Claims;
}

/** For a server on the internet: clients log in at an OAuth authorization server and send its access tokens. */
export interface RemoteAuth {
  /**
   * Checks signature and issuer of an access token; core checks audience, end and scopes. Undefined answers 401, and an
   * error answers as one of `Authenticate`.
   */
  readonly verifier: (token: string) => Promise<VerifiedToken | undefined>;
  /** The public URL of the MCP endpoint, for which tokens must be issued: `https://shop.example.com/mcp`. */
  readonly resource: string;
  /** Issuer URLs of the authorization servers that clients may use. */
  readonly authorizationServers: readonly [string, ...string[]];
  /** What every request needs. A tool can need more: `scopes` of its definition. Default: none. */
  readonly scopes?: readonly string[];
}

/** The owner of a bearer token, the callers that a function accepts, or those of authorization servers. */
export type TokenAuth = { readonly token: string } | Authenticate | RemoteAuth;

/** Who may call over HTTP. `none` accepts everyone and works on loopback only. */
export type Auth = TokenAuth | 'none';

/** The principal of a request, or the answer to a request without one. */
export type Gate = (request: Request) => Promise<Principal | Response>;

/** @param owner the principal of a token, and of everyone if `auth` is `none` */
export function gateOf(auth: Auth, owner: Principal, log: Log): Gate {
  if (auth === 'none') return async () => owner;
  if (isRemote(auth)) return remoteGate(auth, log);
  const authenticate = typeof auth === 'function' ? auth : bearerToken(auth.token, owner);
  return async ({ headers }) =>
    (await authenticate(headers.get('authorization') ?? undefined)) ?? unauthorized();
}

function isRemote(auth: Auth | undefined): auth is RemoteAuth {
  return typeof auth === 'object' && 'verifier' in auth;
}

/** The public name of a server is one of its names. */
export function withResource(access: AccessOptions, auth: Auth | undefined): AccessOptions {
  if (!isRemote(auth)) return access;
  return { ...access, allowHosts: [...(access.allowHosts ?? []), new URL(auth.resource).hostname] };
}

/** A plain `Bearer` challenge: one with metadata starts a search for an OAuth login. */
export function unauthorized(): Response {
  return rpcError(401, -32_001, 'Unauthorized: send the bearer token', { 'WWW-Authenticate': 'Bearer' });
}

/** Compares in constant time, except for the length. */
function bearerToken(token: string, principal: Principal): Authenticate {
  const expected = Buffer.from(token);
  return async (authorization) => {
    const given = Buffer.from(/^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '');
    return given.length === expected.length && timingSafeEqual(given, expected) ? principal : undefined;
  };
}

function remoteGate({ verifier, resource, scopes = [] }: RemoteAuth, log: Log): Gate {
  const expectedResource = new URL(resource);
  async function verifyAccessToken(token: string) {
    try {
      const verified = await verifier(token);
      if (verified === undefined) throw invalidToken();
      const { user, audience = [], expiresAt, scopes: granted, claims = {} } = verified;
      const isForUs = [audience].flat().some((each) => isSameUrl(each, resource));
      return {
        token,
        clientId: user,
        scopes: [...granted],
        extra: { ...claims },
        ...(expiresAt === undefined ? {} : { expiresAt }),
        ...(isForUs ? { resource: expectedResource } : {}),
      };
    } catch (error) {
      if (!isTokenError(error)) throw error;
      log.warn('access token refused', { error });
      throw invalidToken();
    }
  }
  const options = {
    verifier: { verifyAccessToken },
    requiredScopes: [...scopes],
    resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(expectedResource),
    expectedResource,
  };
  return async ({ headers }) => {
    try {
      const verified = await verifyBearerToken(headers.get('authorization') ?? undefined, options);
      return { user: verified.clientId, scopes: verified.scopes, claims: verified.extra ?? {} };
    } catch (error) {
      const code = errnoOf(error);
      if (code !== OAuthErrorCode.InvalidToken && code !== OAuthErrorCode.InsufficientScope) throw error;
      return bearerAuthChallengeResponse(error, options);
    }
  };
}

const invalidToken = () => new OAuthError(OAuthErrorCode.InvalidToken, 'The access token is not valid');

/** Codes of the SDK and of jose, and names of jsonwebtoken: the token is invalid, or has expired. */
const TOKEN_ERRORS = [
  /^invalid_token$|^ERR_JW[EST]_|^ERR_JWKS_NO_MATCHING_KEY$|^ERR_JOSE_(?:ALG_NOT_ALLOWED|NOT_SUPPORTED)$/,
  /^(?:JsonWebToken|TokenExpired|NotBefore)Error$/,
];

function isTokenError(error: unknown): boolean {
  return error instanceof Error && TOKEN_ERRORS.some((names) => names.test(errnoOf(error) ?? error.name));
}

/** The answer to a request whose login failed. */
export function loginFailure(error: unknown): Response {
  if (isTokenError(error)) return unauthorized();
  const headers = { 'Retry-After': String(RETRY_SECONDS) };
  return rpcError(503, -32_603, 'The login cannot be checked now. Try again.', headers);
}

function isSameUrl(a: string, b: string): boolean {
  return a.replace(/\/$/, '') === b.replace(/\/$/, '');
}

/** Tells clients where to log in: RFC 9728. */
export interface ResourceMetadata {
  readonly url: string;
  /** @returns undefined for a request to another path */
  answer(request: Request): Response | undefined;
}

/** @throws Error for a URL that is not one, and for an authorization server without TLS beyond localhost */
export function resourceMetadata(auth: Auth | undefined): ResourceMetadata | undefined {
  if (!isRemote(auth)) return undefined;
  const { authorizationServers, scopes } = auth;
  const resource = new URL(auth.resource);
  const url = getOAuthProtectedResourceMetadataUrl(resource);
  for (const issuer of authorizationServers) {
    const { protocol, hostname } = new URL(issuer);
    if (protocol !== 'https:' && !LOCAL_NAMES.has(hostname))
      throw new Error(`The authorization server ${issuer} needs https.`);
  }
  const document = {
    resource: resource.href,
    authorization_servers: authorizationServers,
    scopes_supported: scopes,
  };
  return {
    url,
    answer(request) {
      if (new URL(request.url).pathname !== new URL(url).pathname) return undefined;
      // Pages of every origin may ask where to log in.
      const headers = { 'Access-Control-Allow-Origin': '*', Allow: 'GET, HEAD' };
      if (!['GET', 'HEAD'].includes(request.method)) return new Response(null, { status: 405, headers });
      return Response.json(document, { headers });
    },
  };
}

const LOCAL_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Asks the client to log in again with more scopes, and to keep those that it has. */
export function scopeChallenge(
  { scopes = [] }: Principal,
  needed: readonly string[],
  metadataUrl: string | undefined,
): Response {
  const error = new OAuthError(OAuthErrorCode.InsufficientScope, 'Insufficient scope');
  const requiredScopes = [...new Set([...scopes, ...needed])];
  return bearerAuthChallengeResponse(error, {
    requiredScopes,
    ...(metadataUrl === undefined ? {} : { resourceMetadataUrl: metadataUrl }),
  });
}
