import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import {
  acceptedContent,
  createLog,
  defineServer,
  inputRequired,
  type Principal,
  silentLog,
  toolDefiner,
} from '@deskside/core';
import {
  serve,
  fastifyHandler,
  honoHandler,
  httpHandler,
  type HttpHandler,
  nodeHandler,
  type RemoteAuth,
} from '@deskside/core/serving';
import { firstText } from '@deskside/core/testing';
import { described } from '@deskside/core/testing/described';
import { callPost, INITIALIZE, postOf } from '@deskside/core/testing/wire';
import { createAdaptorServer } from '@hono/node-server';
import { OAuthError, OAuthErrorCode } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { errors, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { connectHttp } from './connect.ts';
import { listen } from './loopback.ts';
import { z } from 'zod';

const RESOURCE = 'https://shop.example.com/mcp';
const ISSUER = 'https://login.example.com/';
const METADATA = '/.well-known/oauth-protected-resource/mcp';
const PATHS = ['/mcp', METADATA];

const { publicKey, privateKey } = await generateKeyPair('ES256');

/** Accepts JSON Web Tokens. */
const auth: RemoteAuth = {
  async verifier(token) {
    const { payload } = await jwtVerify(token, publicKey, { issuer: ISSUER });
    const { sub = '', aud, exp, scope } = payload;
    return { user: sub, audience: aud, expiresAt: exp, scopes: String(scope).split(' '), claims: payload };
  },
  resource: RESOURCE,
  authorizationServers: [ISSUER, 'https://other.example.com/'],
  scopes: ['cart'],
};

const define = toolDefiner<null, { readonly shop?: string }>();
const show = define({
  ...described('show_cart'),
  run: (_, __, { principal: { user, claims } }) => `cart of ${user} at ${claims?.shop}`,
});
const buy = define({
  ...described('buy'),
  scopes: ['buy'],
  run(_, __, { input, principal }) {
    const sure = z.object({ sure: z.boolean() });
    const answer = acceptedContent(input.responses, 'sure', sure)?.sure;
    if (answer !== undefined) return `${principal.user} bought: ${answer}`;
    const ask = inputRequired.elicit({ message: 'Buy?', requestedSchema: sure });
    return inputRequired({ inputRequests: { sure: ask } });
  },
});
const definition = defineServer({ name: 'cart', version: '1.0.0', deps: null, tools: [show, buy] });

/** The application's own login: a cookie. */
function userOf(cookie: string | undefined): Principal | undefined {
  if (cookie === 'login=broken') throw new Error('cookie expired');
  return cookie === 'login=ada' ? { user: 'ada', claims: { shop: 'the counter' } } : undefined;
}

/** The same server in four frameworks, each with its body parser. */
const FRAMEWORKS: Readonly<Record<string, (mcp: HttpHandler) => Promise<Server>>> = {
  async 'node:http'(mcp) {
    const answer = nodeHandler(mcp, ({ headers }) => userOf(headers.cookie));
    return createServer(answer).listen(0, '127.0.0.1');
  },
  async express(mcp) {
    const app = express().use(express.json());
    app.all(
      PATHS,
      nodeHandler(mcp, ({ headers }) => userOf(headers.cookie)),
    );
    return app.listen(0, '127.0.0.1');
  },
  async fastify(mcp) {
    const app = fastify();
    const answer = fastifyHandler(mcp, ({ raw }) => userOf(raw.headers.cookie));
    for (const path of PATHS) app.all(path, answer);
    await app.listen({ port: 0, host: '127.0.0.1' });
    return app.server;
  },
  async hono(mcp) {
    const app = new Hono();
    for (const path of PATHS)
      app.all(
        path,
        honoHandler(mcp, ({ req }) => userOf(req.raw.headers.get('cookie') ?? undefined)),
      );
    return createAdaptorServer(app).listen(0, '127.0.0.1') as Server;
  },
};

interface TokenSpec {
  readonly claims?: Record<string, unknown>;
  readonly audience?: string;
  readonly expires?: string | null;
}

async function tokenOf({ claims, audience, expires = '1h' }: TokenSpec = {}) {
  const jwt = new SignJWT({ sub: 'ben', scope: 'cart', shop: 'the web', ...claims })
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuer(ISSUER)
    .setAudience(audience ?? RESOURCE);
  return (expires === null ? jwt : jwt.setExpirationTime(expires)).sign(privateKey);
}

const call = (name: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: {} },
});

/** What each check uses. */
interface Shop {
  readonly base: string;
  readonly logged: string[];
  post(body: object | string, headers?: Record<string, string>, token?: string): Promise<Response>;
}

function challengeOf({ headers }: Response): string {
  return headers.get('www-authenticate') ?? '';
}

const METADATA_LINK = `resource_metadata="https://shop.example.com${METADATA}"`;

async function refused(shop: Shop, spec: TokenSpec): Promise<void> {
  const response = await shop.post(INITIALIZE, {}, await tokenOf(spec));
  expect(response.status).toBe(401);
  expect(challengeOf(response)).toContain('error="invalid_token"');
  expect(challengeOf(response)).toContain(METADATA_LINK);
  expect(await response.json()).toMatchObject({ error: 'invalid_token' });
}

const CHECKS: Readonly<Record<string, (shop: Shop) => Promise<void>>> = {
  async 'a client of each era calls a tool, which gets user and claims'({ base }) {
    for (const era of ['legacy', 'modern'] as const) {
      await using peer = await connectHttp(`${base}/mcp`, { era, token: await tokenOf() });
      expect(firstText(await peer.callTool('show_cart'))).toBe('cart of ben at the web');
    }
  },
  async 'a request without a token, or with another scheme, is asked to log in'(shop) {
    for (const headers of [undefined, { authorization: 'Basic YTpi' }]) {
      const response = await shop.post(INITIALIZE, headers);
      expect(response.status).toBe(401);
      expect(challengeOf(response)).toContain(METADATA_LINK);
    }
  },
  'a token without an end is refused': (shop) => refused(shop, { expires: null }),
  'a token for another server is refused': (shop) =>
    refused(shop, { audience: 'https://other.example.com/mcp' }),
  async 'a token without the scope of the server is asked for it'(shop) {
    const response = await shop.post(INITIALIZE, {}, await tokenOf({ claims: { scope: 'mail' } }));
    expect(response.status).toBe(403);
    expect(challengeOf(response)).toContain('error="insufficient_scope"');
    expect(challengeOf(response)).toContain('scope="cart"');
    expect(challengeOf(response)).toContain(METADATA_LINK);
  },
  async 'a legacy call without the scope of the tool is asked for it'(shop) {
    const token = await tokenOf();
    const started = await shop.post(INITIALIZE, {}, token);
    const session = started.headers.get('mcp-session-id') ?? '';
    const response = await shop.post(call('buy'), { 'mcp-session-id': session }, token);
    expect(response.status).toBe(403);
    expect(challengeOf(response)).toContain('error="insufficient_scope"');
    expect(challengeOf(response)).toContain('scope="cart buy"');
    expect(challengeOf(response)).toContain(METADATA_LINK);
  },
  async 'a modern call without the scope of the tool is asked for it'(shop) {
    const { body, headers } = callPost('modern', 'buy');
    const response = await shop.post(body, headers, await tokenOf());
    expect(response.status).toBe(403);
    expect(challengeOf(response)).toContain('scope="cart buy"');
  },
  async 'a call with the scope of the tool asks the person and works'({ base }) {
    const token = await tokenOf({ claims: { scope: 'cart buy' } });
    const capabilities = { elicitation: {} };
    await using peer = await connectHttp(`${base}/mcp`, { era: 'legacy', token, capabilities });
    if (peer.client instanceof Client)
      peer.client.setRequestHandler(ElicitRequestSchema, () => ({
        action: 'accept',
        content: { sure: true },
      }));
    expect(firstText(await peer.callTool('buy'))).toBe('ben bought: true');
  },
  async 'the metadata names the resource, the authorization servers and the scopes, and is read only'({
    base,
  }) {
    const response = await fetch(`${base}${METADATA}`);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await response.json()).toEqual({
      resource: RESOURCE,
      authorization_servers: [ISSUER, 'https://other.example.com/'],
      scopes_supported: ['cart'],
    });
    expect((await fetch(`${base}${METADATA}`, { method: 'DELETE' })).status).toBe(405);
  },
  async 'a cookie of the application authenticates, without a token'(shop) {
    const response = await shop.post(INITIALIZE, { cookie: 'login=ada' });
    expect(response.status).toBe(200);
    const session = response.headers.get('mcp-session-id') ?? '';
    const shown = await shop.post(call('show_cart'), { cookie: 'login=ada', 'mcp-session-id': session });
    expect(await shown.text()).toContain('cart of ada at the counter');
  },
  async 'a login of the application that throws answers 503 and is logged, and the next request works'(shop) {
    expect((await shop.post(INITIALIZE, { cookie: 'login=broken' })).status).toBe(503);
    expect(shop.logged.filter((line) => line.includes('cookie expired'))).toEqual([
      expect.stringContaining('authentication failed'),
    ]);
    expect((await shop.post(INITIALIZE, { cookie: 'login=ada' })).status).toBe(200);
  },
};

describe.each(Object.keys(FRAMEWORKS))('a remote server in %s', (framework) => {
  const logged: string[] = [];
  const log = createLog({ level: 'warn', write: (line) => logged.push(line) });
  const mcp = httpHandler(definition, { auth, log });
  let server: Server | undefined;
  let base = '';
  beforeAll(async () => {
    server = await FRAMEWORKS[framework]?.(mcp);
    if (server?.listening === false) await once(server, 'listening');
    const address = server?.address();
    if (typeof address === 'object') base = `http://127.0.0.1:${address?.port}`;
  });
  afterAll(async () => {
    await mcp.close();
    server?.close();
    server?.closeAllConnections();
  });

  const post: Shop['post'] = (body, headers = {}, token) =>
    fetch(
      `${base}/mcp`,
      postOf(body, { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers }),
    );

  test.each(Object.keys(CHECKS))('%s', async (name) => {
    await expect(CHECKS[name]?.({ base, logged, post })).resolves.toBeUndefined();
  });
});

test('serve has the same metadata and challenges', async () => {
  const log = createLog({ level: 'error', write: () => undefined });
  const serving = await serve(definition, { log, ownsProcess: false, http: { port: 0, auth } });
  onTestFinished(() => serving.close());
  const url = serving.url ?? '';
  const response = await fetch(url, { method: 'POST' });
  expect(response.status).toBe(401);
  expect(challengeOf(response)).toContain(METADATA_LINK);
  expect(await (await fetch(new URL(METADATA, url))).json()).toMatchObject({ resource: RESOURCE });
  await using peer = await connectHttp(url, { era: 'modern', token: await tokenOf() });
  expect(firstText(await peer.callTool('show_cart'))).toBe('cart of ben at the web');
});

/** A request without a token. */
const request = (headers: Readonly<Record<string, string>> = {}) =>
  new Request('http://localhost/mcp', postOf(INITIALIZE, { ...headers, host: 'localhost' }));

/** Errors by what they say of a login: the token is wrong, or nobody can say. */
const THROWN: Readonly<Record<string, readonly [error: Error, status: number]>> = {
  'an expired token of jose': [new errors.JWTExpired('it has expired', {}), 401],
  'a wrong signature of jose': [new errors.JWSSignatureVerificationFailed(), 401],
  'a token with an unknown key of jose': [new errors.JWKSNoMatchingKey(), 401],
  'an expired token of jsonwebtoken': [
    Object.assign(new Error('jwt expired'), { name: 'TokenExpiredError' }),
    401,
  ],
  'an invalid token of the SDK': [new OAuthError(OAuthErrorCode.InvalidToken, 'unknown token'), 401],
  'keys that cannot be fetched': [new errors.JWKSTimeout(), 503],
  'an authorization server that is away': [new OAuthError(OAuthErrorCode.ServerError, 'down'), 503],
};

test.each(Object.entries(THROWN))(
  'an authentication that throws %s tells the client whether its login is wrong',
  async (_, [error, status]) => {
    const lines: string[] = [];
    const log = createLog({ level: 'warn', write: (line) => lines.push(line) });
    const refuse = () => Promise.reject(error);
    for (const given of [refuse, { ...auth, verifier: refuse }]) {
      const failing = httpHandler(definition, { log, auth: given });
      onTestFinished(() => failing.close());
      const refusal = await failing.fetch(request({ authorization: 'Bearer some-token' }));
      expect(refusal.status).toBe(status);
      expect(refusal.headers.has('www-authenticate')).toBe(status === 401);
      expect(refusal.headers.get('retry-after')).toBe(status === 401 ? null : '5');
      expect(lines.splice(0).join('')).toContain(error.message);
    }
  },
);

test('without an authentication only given principals pass', async () => {
  const closed = httpHandler(definition, { log: silentLog });
  onTestFinished(() => closed.close());
  expect((await closed.fetch(request())).status).toBe(401);
  expect((await closed.fetch(request(), { principal: { user: 'ada' } })).status).toBe(200);
});

test('a body that a parser of forms has left unread is read', async () => {
  const mcp = httpHandler(definition, { auth });
  const answer = nodeHandler(mcp, () => ({ user: 'ada' }));
  // What express.urlencoded() of Express 4 leaves behind for JSON.
  await using server = await listen((incoming, response) => {
    answer(Object.assign(incoming, { body: {} }), response);
  });
  onTestFinished(() => mcp.close());
  const response = await fetch(`${server.origin}/mcp`, postOf(INITIALIZE));
  expect(response.status).toBe(200);
});
