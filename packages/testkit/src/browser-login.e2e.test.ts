import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Era, silentLog } from '@deskside/core';
import { httpHandler, nodeHandler } from '@deskside/core/serving';
import { build } from 'esbuild';
import { SignJWT } from 'jose';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { definition, loginAt, privateKey } from './cart-server.ts';
import { hasChromium, sharedBrowser } from './chromium.ts';
import type { LoginPageSettings } from './login-page.ts';
import { listen } from './loopback.ts';

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
    const token = await new SignJWT({ sub: 'Ada', scope, shop: 'the web' })
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
      const settings: LoginPageSettings = { url, era, calls: { show_cart: {}, buy: { isSure: true } } };
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
      await page.getByText('cart of Ada at the web. Ada bought: true.').waitFor();
      expect(new URL(page.url()).origin).toBe(site.origin);
      expect(logins.asked).toEqual(['cart', 'cart buy']);
    },
  );
});
