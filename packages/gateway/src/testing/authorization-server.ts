import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '@deskside/testkit';
import { onTestFinished } from 'vitest';
import type { StoredLogin } from '../login/login-store.ts';

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

/** By path. */
export type Answers = Readonly<
  Record<string, (request: Received, origin: string) => Answer | Promise<Answer>>
>;

export interface ScriptedServer {
  readonly url: string;
  readonly origin: string;
  /** What it was asked so far. */
  readonly received: readonly Received[];
  /** A login there whose access token has expired. */
  readonly expired: StoredLogin;
}

/**
 * An MCP server on loopback that demands a login, and its authorization server, which may answer as the standard does not allow.
 *
 * @param answers `/token`, `/revoke` and `/mcp` are the usual ones
 * @param metadata more of the authorization server
 */
export async function scriptedServer(
  answers: Answers,
  metadata: Readonly<Record<string, unknown>> = {},
): Promise<ScriptedServer> {
  const received: Received[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { url: path = '', headers } = request;
    const asked = { path, headers, body: await text(request) };
    received.push(asked);
    const { status = 200, headers: more, json } = (await all[path]?.(asked, origin)) ?? { status: 404 };
    response
      .writeHead(status, { 'content-type': 'application/json', ...more })
      .end(json === undefined ? '' : JSON.stringify(json));
  };
  const server = await listen((request, response) => void answer(request, response));
  onTestFinished(() => server[Symbol.asyncDispose]());
  const { origin } = server;
  const about = { ...metadataOf(origin), ...metadata };
  const all: Answers = {
    '/mcp': () => ({ status: 401 }),
    '/.well-known/oauth-authorization-server': () => ({ json: about }),
    '/register': ({ body }) => ({ status: 201, json: { ...JSON.parse(body), client_id: 'registered' } }),
    '/token': () => ({ json: { access_token: 'new', token_type: 'Bearer' } }),
    '/revoke': () => ({}),
    ...answers,
  };
  const url = `${origin}/mcp`;
  const expired: StoredLogin = {
    server: url,
    issuer: origin,
    metadata: about,
    client: { client_id: 'desk' },
    tokens: { access: 'old', refresh: 'first', expires: new Date(0).toISOString() },
    since: new Date(0).toISOString(),
  };
  return { url, origin, received, expired };
}

export function metadataOf(origin: string) {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    revocation_endpoint: `${origin}/revoke`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
  };
}

/** A person who logs in at once: the browser ends at the redirect address, with the name of the issuer if there is one. */
export async function allow(address: string, iss?: string): Promise<void> {
  const { searchParams } = new URL(address);
  const query = new URLSearchParams({ code: 'x', state: searchParams.get('state') ?? '' });
  if (iss !== undefined) query.set('iss', iss);
  await fetch(`${searchParams.get('redirect_uri')}?${query.toString()}`);
}
