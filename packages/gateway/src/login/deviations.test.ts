import { expect, test } from 'vitest';
import { fetchWithLogin } from '../external/server-fetch.ts';
import { LoginNeeded } from '../external/problems.ts';
import {
  allow,
  type Answer,
  type Answers,
  metadataOf,
  scriptedServer,
} from '../testing/authorization-server.ts';
import { logInAt, newStore } from '../testing/log-in-at.ts';

/** A person who logs in at once, at an authorization server that names itself in its answer, if it says so. */
async function loggedIn(answers: Answers, metadata: Readonly<Record<string, unknown>> = {}, iss?: string) {
  const server = await scriptedServer(answers, metadata);
  const store = newStore();
  const go = (address: string) => void allow(address, iss === undefined ? iss : `${server.origin}${iss}`);
  const login = await logInAt(server.url, store, { go });
  return { server, login, stored: await store.find('guard') };
}

const registering = (more: object): Answers => ({
  '/register': ({ body }) => ({ status: 201, json: { ...JSON.parse(body), client_id: 'a', ...more } }),
});
const TOKEN = { access_token: 'new', token_type: 'Bearer' };

test.each<readonly [string, Answers, Readonly<Record<string, unknown>>]>([
  [
    'a registration with empty members (Hydra)',
    registering({ client_uri: '', logo_uri: '', contacts: null }),
    {},
  ],
  ['a registration without addresses (Hermes)', registering({ redirect_uris: [] }), {}],
  [
    'a final slash where the server names its authorization server',
    {
      '/.well-known/oauth-protected-resource/mcp': (_, origin) => ({
        json: { resource: `${origin}/mcp`, authorization_servers: [`${origin}/`] },
      }),
    },
    {},
  ],
  [
    'two addresses of metadata, of which the first has none',
    {
      '/mcp': (_, origin) => ({
        status: 401,
        headers: {
          'www-authenticate': `Bearer resource_metadata="${origin}/gone", resource_metadata="${origin}/about"`,
        },
      }),
      '/gone': () => ({ status: 404 }),
    },
    {},
  ],
  [
    'a token without more, as null and empty texts',
    { '/token': () => ({ json: { ...TOKEN, scope: null, refresh_token: null, id_token: '' } }) },
    {},
  ],
  ['metadata with null members', {}, { scopes_supported: null, jwks_uri: '', service_documentation: '' }],
])('a login works with %s', async (_, answers, metadata) => {
  const { login, stored } = await loggedIn(answers, metadata);
  expect(login.tokens).toStrictEqual({ access: 'new' });
  expect(stored).toStrictEqual(login);
});

const ofIssuer = (slash: string, iss: string | undefined): Answers => ({
  '/.well-known/oauth-authorization-server': (_, origin) => ({
    json: {
      ...metadataOf(origin),
      issuer: `${origin}${slash}`,
      ...(iss === undefined ? {} : { authorization_response_iss_parameter_supported: true }),
    },
  }),
  '/.well-known/oauth-protected-resource/mcp': (_, origin) => ({
    json: { resource: `${origin}/mcp`, authorization_servers: [origin] },
  }),
});

test.each([undefined, '/'])(
  'an issuer that differs by one final slash on its origin is the same one, with its answer: %s',
  async (iss) => {
    const { login, server } = await loggedIn(ofIssuer('/', iss), {}, iss);
    expect(login.issuer).toBe(server.origin);
  },
);

test.each([
  ['/', ''],
  ['', '/'],
])('an issuer with the end %j is not the one of an answer with %j', async (slash, iss) => {
  const refused = loggedIn(ofIssuer(slash, iss), {}, iss);
  await expect(refused).rejects.toThrow('the authorization server is not the one that the server names');
});

test.each<readonly [string, Answers, Readonly<Record<string, unknown>>, RegExp]>([
  [
    'another issuer',
    {},
    { issuer: 'https://other.example/\u202E' },
    /: the authorization server http:\/\/127\.0\.0\.1:\d+\/? names itself https:\/\/other\.example\/\\u\{202e\}\.$/,
  ],
  [
    'no registration',
    {},
    { registration_endpoint: undefined },
    /: the authorization server registers no clients\. Register one there, and set client_id of this server in deskside\.toml\.$/,
  ],
  [
    'a token of a wrong type',
    { '/token': (): Answer => ({ json: { access_token: 7, token_type: 'Bearer' } }) },
    {},
    /: the authorization server's answer is not valid \(access_token\)\.$/,
  ],
  [
    'a registration that is refused',
    { '/register': (): Answer => ({ status: 400, json: { error: 'invalid_redirect_uri' } }) },
    {},
    /: the authorization server registers no client for Deskside \(HTTP 400\)\. Register one there, and set client_id of this server in deskside\.toml\.$/,
  ],
])('a login that fails because of %s names the cause', async (_, answers, metadata, sentence) => {
  await expect(loggedIn(answers, metadata)).rejects.toThrow(sentence);
});

test.each([
  'Negotiate, Bearer resource_metadata="ORIGIN/about", scope="a b"',
  'Bearer realm="x, Bearer y" , resource_metadata = "ORIGIN/about" , scope = "a b"',
  'Basic realm="x", bearer resource_metadata=ORIGIN/about, scope="a b", DPoP algs="ES256"',
  'Bearer scope="a b", resource_metadata="ORIGIN/about", resource_metadata="ORIGIN/other"',
])('a login is needed, and works, after the challenge %s', async (challenge) => {
  const answers: Answers = {
    '/mcp': (_, origin) => ({
      status: 401,
      headers: { 'www-authenticate': challenge.replaceAll('ORIGIN', origin) },
    }),
    '/about': (_, origin) => ({
      json: { resource: `${origin}/mcp`, authorization_servers: [`${origin}/as`] },
    }),
    '/.well-known/oauth-authorization-server': () => ({ status: 404 }),
    '/.well-known/oauth-authorization-server/as': (_, origin) => ({
      json: { ...metadataOf(origin), issuer: `${origin}/as` },
    }),
  };
  const { server, login } = await loggedIn(answers);
  expect(login).toMatchObject({ issuer: `${server.origin}/as`, tokens: { scope: 'a b' } });
  const refused = fetchWithLogin(server.url, { method: 'POST' }, { url: server.url });
  await expect(refused).rejects.toThrow(LoginNeeded);
});
