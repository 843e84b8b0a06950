import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { defineServer, type Era, silentLog, toolDefiner } from '@deskside/core';
import { httpHandler, nodeHandler, type RemoteAuth } from '@deskside/core/serving';
import { build } from 'esbuild';
import { generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { hasChromium, sharedBrowser } from './chromium.ts';
import type { LoginPageSettings } from './login-page.ts';
import { listen } from './loopback.ts';

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const define = toolDefiner<null>();
const show = define({
  name: 'show_cart',
  title: 'Show cart',
  description: 'Shows the cart',
  annotations,
  input: z.object({}),
  run: (_, __, { principal }) => `The cart of ${principal.user}`,
});
const buy = define({
  name: 'buy',
  title: 'Buy',
  description: 'Buys the cart',
  annotations,
  input: z.object({}),
  scopes: ['buy'],
  run: (_, __, { principal }) => `${principal.user} bought it`,
});
const definition = defineServer({ name: 'cart', version: '1.0.0', deps: null, tools: [show, buy] });

const { publicKey, privateKey } = await generateKeyPair('ES256');

function loginAt(issuer: string, resource: string): RemoteAuth {
  return {
    async verifier(token) {
      const { payload } = await jwtVerify(token, publicKey, { issuer });
      const { sub = '', aud, exp, scope } = payload;
      return { user: sub, audience: aud, expiresAt: exp, scopes: String(scope).split(' ') };
    },
    resource,
    authorizationServers: [issuer],
    scopes: ['cart'],
  };
}

/** An authorization server of one person, Ada, who presses a button. Pages of every origin may use it. */
class AuthorizationServer {
  /** The scopes that clients asked for, in order. */
  readonly asked: string[] = [];
  /** What a client asked for, by the code that it got. */
  readonly #grants = new Map<string, URLSearchParams>();

  readonly answer: RequestListener = (request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*');
    if (request.method !== 'OPTIONS') return void this.#answer(request, response);
    response.setHeader('Access-Control-Allow-Headers', 'content-type, mcp-protocol-version');
    response.writeHead(204).end();
  };

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const origin = `http://${request.headers.host}`;
    const { pathname, searchParams } = new URL(request.url ?? '', origin);
    const body = await text(request);
    const json = (status: number, value: object) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
    if (pathname === '/.well-known/oauth-authorization-server') return void json(200, metadata(origin));
    if (pathname === '/register') return void json(201, { ...JSON.parse(body), client_id: 'page' });
    if (pathname === '/token') {
      const token = await this.#token(origin, new URLSearchParams(body));
      return void json(token === undefined ? 400 : 200, token ?? { error: 'invalid_grant' });
    }
    if (pathname !== '/authorize') return void response.writeHead(404).end();
    const scope = searchParams.get('scope') ?? '';
    if (request.method === 'GET') {
      this.asked.push(scope);
      response.setHeader('Content-Type', 'text/html');
      return void response.end(`<form method="post"><button>Allow ${scope}</button></form>`);
    }
    const code = randomUUID();
    this.#grants.set(code, searchParams);
    const back = new URL(searchParams.get('redirect_uri') ?? '');
    back.search = new URLSearchParams({ code, iss: origin }).toString();
    response.writeHead(303, { Location: back.href }).end();
  }

  /** Undefined if another client, page or server than that of the login asks, or if it asks again. */
  async #token(issuer: string, given: URLSearchParams): Promise<object | undefined> {
    const code = given.get('code') ?? '';
    const asked = this.#grants.get(code);
    this.#grants.delete(code);
    const challenge = createHash('sha256')
      .update(given.get('code_verifier') ?? '')
      .digest('base64url');
    if (challenge !== asked?.get('code_challenge')) return undefined;
    const isSame = ['client_id', 'redirect_uri', 'resource'].every(
      (name) => given.get(name) === asked.get(name),
    );
    if (!isSame) return undefined;
    const scope = asked.get('scope') ?? '';
    const token = await new SignJWT({ sub: 'Ada', scope })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer(issuer)
      .setAudience(asked.get('resource') ?? '')
      .setExpirationTime('1h')
      .sign(privateKey);
    return { access_token: token, token_type: 'Bearer', expires_in: 3600, scope };
  }
}

function metadata(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code'],
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };
}

describe.skipIf(!hasChromium)('in Chromium', () => {
  let script = '';
  beforeAll(async () => {
    const { outputFiles } = await build({
      entryPoints: [join(import.meta.dirname, 'login-page.ts')],
      bundle: true,
      format: 'esm',
      platform: 'browser',
      write: false,
    });
    script = outputFiles[0]?.text ?? '';
  });

  test.each<Era>(['legacy', 'modern'])(
    'a page of another origin logs in, calls a tool, is asked for the scope of the next one and calls it, too: %s era',
    async (era) => {
      const logins = new AuthorizationServer();
      await using authorization = await listen(logins.answer);
      const opened = Promise.withResolvers<RequestListener>();
      await using shop = await listen((request, response) => {
        void opened.promise.then((answer) => answer(request, response));
      });
      const url = `${shop.origin}/mcp`;
      const settings: LoginPageSettings = { url, era, tools: ['show_cart', 'buy'] };
      await using site = await listen(({ url: path = '' }, response) => {
        const isScript = path === '/page.js';
        response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
        const setting = `<script>settings = ${JSON.stringify(settings)}</script>`;
        response.end(
          isScript ? script : `${setting}<output></output><script type="module" src="/page.js"></script>`,
        );
      });
      const mcp = httpHandler(definition, {
        auth: loginAt(authorization.origin, url),
        allowOrigins: [site.origin],
        log: silentLog,
      });
      onTestFinished(() => mcp.close());
      opened.resolve(nodeHandler(mcp));

      const context = await (await sharedBrowser()).newContext();
      onTestFinished(() => context.close());
      const page = await context.newPage();
      await page.goto(site.origin);
      await page.getByRole('button', { name: 'Allow cart', exact: true }).click();
      await page.getByRole('button', { name: 'Allow cart buy', exact: true }).click();
      await page.getByText('The cart of Ada. Ada bought it.').waitFor();
      expect(new URL(page.url()).origin).toBe(site.origin);
      expect(logins.asked).toEqual(['cart', 'cart buy']);
    },
  );
});
