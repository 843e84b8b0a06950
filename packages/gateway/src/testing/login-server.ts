import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type ServerDefinition, silentLog, toolDefiner } from '@deskside/core';
import { serve } from '@deskside/core/serving';
import { described } from '@deskside/core/testing/described';
import { freePort } from '@deskside/testkit';
import { Provider } from 'oidc-provider';
import { createMemoryAdapter } from 'oidc-provider/lib/adapters/memory_adapter.js';
import { onTestFinished } from 'vitest';
import type { LoginClient } from '../external/spec.ts';
import { fixedTool, namedServer } from './servers.ts';

/** An MCP server on loopback that demands a login at a real authorization server. */
export interface LoginServer {
  readonly url: string;
  readonly issuer: string;
  /** Requests for tokens so far, by grant type. */
  readonly grants: readonly string[];
}

const ACCESS_TOKEN_SECONDS = 3600;
const MAX_REDIRECTS = 20;

const guarded = toolDefiner<null>()({ ...described('guarded'), scopes: ['extra'], run: () => 'more pong' });

/** Of all login servers of a process: to make one takes 70 ms. */
const signingKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });

/**
 * Its person logs in and allows everything at once.
 *
 * @param client the only one, which a person has registered: the server registers no others
 */
export async function loginServer(client?: LoginClient): Promise<LoginServer> {
  const [resourcePort, issuerPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${resourcePort}/mcp`;
  const issuer = `http://127.0.0.1:${issuerPort}`;
  const grants: string[] = [];
  const provider: Provider = new Provider(
    issuer,
    configurationOf(url, client, () => provider),
  );
  provider.on('grant.success', ({ oidc }) => void grants.push(String(oidc.params?.['grant_type'])));

  const authorization = createServer((request, response) => {
    if (!request.url?.startsWith('/interaction/')) return void provider.callback()(request, response);
    const result = { login: { accountId: 'ada' }, consent: {} };
    return void provider.interactionFinished(request, response, result);
  });
  await once(authorization.listen(issuerPort, '127.0.0.1'), 'listening');
  const definition: ServerDefinition = namedServer('guard', [fixedTool('ping', 'pong'), guarded]);
  const serving = await serve(definition, {
    log: silentLog,
    ownsProcess: false,
    http: {
      port: resourcePort,
      auth: {
        resource: url,
        authorizationServers: [issuer],
        scopes: ['base'],
        async verifier(token) {
          const found = await provider.AccessToken.find(token);
          if (found === undefined) return undefined;
          const { accountId: user, aud: audience, exp: expiresAt, scope = '' } = found;
          return { user, audience, expiresAt, scopes: scope.split(' ') };
        },
      },
    },
  });
  onTestFinished(async () => {
    await serving.close();
    authorization.closeAllConnections();
    await new Promise((resolve) => authorization.close(resolve));
  });
  return { url, issuer, grants };
}

function configurationOf(
  resource: string,
  client: LoginClient | undefined,
  provider: () => Provider,
): Readonly<Record<string, unknown>> {
  return {
    adapter: createMemoryAdapter(),
    clients: client === undefined ? [] : [registered(client)],
    scopes: ['openid', 'offline_access', 'base', 'extra'],
    jwks: { keys: [signingKey] },
    ttl: { Interaction: 600, Grant: 600, Session: 600, RefreshToken: 600, AccessToken: 600 },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async () => true,
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: client === undefined },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: 'base extra',
          audience: resource,
          accessTokenFormat: 'opaque',
          accessTokenTTL: ACCESS_TOKEN_SECONDS,
        }),
        useGrantedResource: () => true,
      },
    },
    ...allowsAtOnce(resource, provider),
  };
}

/** A person who allows what is asked. */
function allowsAtOnce(resource: string, provider: () => Provider) {
  return {
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    async loadExistingGrant({ oidc }: GrantContext) {
      const grant = new (provider().Grant)({
        accountId: oidc.session.accountId,
        clientId: oidc.client.clientId,
      });
      grant.addOIDCScope('openid offline_access base extra');
      grant.addResourceScope(resource, oidc.params.scope ?? '');
      await grant.save();
      return grant;
    },
  };
}

/** A native program may have any port of loopback. */
function registered({ id, secret }: LoginClient) {
  return {
    client_id: id,
    client_secret: secret,
    application_type: 'native',
    redirect_uris: ['http://127.0.0.1/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'client_secret_post',
  };
}

interface GrantContext {
  readonly oidc: {
    readonly session: { readonly accountId: string };
    readonly client: { readonly clientId: string };
    readonly params: { readonly scope?: string };
  };
}

/** A browser of a person: follows redirects and keeps cookies. @returns the last page */
export async function browse(address: string): Promise<Response>;
/** A browser on another machine. @returns the address under `end` that it cannot open */
export async function browse(address: string, end: string): Promise<string>;
export async function browse(address: string, end?: string): Promise<Response | string> {
  const cookies = new Map<string, string>();
  let next = address;
  for (let step = 0; step < MAX_REDIRECTS; step += 1) {
    if (end !== undefined && next.startsWith(end)) return next;
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(next, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) return response;
    next = new URL(location, next).href;
  }
  throw new Error(`more than ${MAX_REDIRECTS} redirects`);
}
