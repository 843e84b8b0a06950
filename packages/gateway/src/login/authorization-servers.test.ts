import { thisOwner } from '@deskside/desktop';
import { expect, onTestFinished, test, vi } from 'vitest';
import { metadataFetch } from '../external/metadata-fetch.ts';
import { LoginNeeded } from '../external/problems.ts';
import type { ServerLogin } from '../external/spec.ts';
import {
  allow,
  type Answer,
  type Answers,
  type ScriptedServer,
  scriptedServer,
} from '../testing/authorization-server.ts';
import { running } from '../testing/external.ts';
import { logInAt, newStore } from '../testing/log-in-at.ts';
import type { LoginStore } from './login-store.ts';
import { revoke } from './revoke.ts';
import { withLogin } from './server-login.ts';

/** What calls of a server use. */
async function loginOf({ url }: Pick<ScriptedServer, 'url'>, store: LoginStore): Promise<ServerLogin> {
  const server = await withLogin('guard', running({ url }), { env: {}, store }).server();
  if (!('url' in server) || server.login === undefined) throw new Error('no login');
  return server.login;
}

/** A server with a login that has expired. */
async function expiredAt(answers: Answers = {}, metadata: Readonly<Record<string, unknown>> = {}) {
  const server = await scriptedServer(answers, metadata);
  const store = newStore();
  await store.save('guard', server.expired);
  return { server, store, login: await loginOf(server, store) };
}

/** A person who logs in at once. @returns the scope that the person was asked for */
async function scopeAsked(server: string, store: LoginStore, headers?: Readonly<Record<string, string>>) {
  let scope: string | null = null;
  const go = (address: string) => {
    scope = new URL(address).searchParams.get('scope');
    void allow(address);
  };
  await logInAt(server, store, { headers, go });
  return scope;
}

/** Time that only `AbortSignal.timeout` notices. @returns passes it, from the start of the test on */
function scriptedLimits(): (ms: number) => void {
  const limits: { ms: number; ended: AbortController }[] = [];
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const ended = new AbortController();
    limits.push({ ms, ended });
    return ended.signal;
  });
  onTestFinished(() => timeout.mockRestore());
  return (elapsedMs) => {
    for (const { ms, ended } of limits) {
      if (ms <= elapsedMs) ended.abort(new DOMException('The limit is over.', 'TimeoutError'));
    }
  };
}

test.each([
  ['invalid_grant', 400, 'keeps the client'],
  ['bad_refresh_token', 200, 'keeps the client'],
  ['invalid_refresh_token', 200, 'keeps the client'],
  ['interaction_required', 400, 'keeps the client'],
  ['consent_required', 400, 'keeps the client'],
  ['login_required', 400, 'keeps the client'],
  ['invalid_client', 401, 'forgets the client'],
  ['unauthorized_client', 400, 'forgets the client'],
  ['incorrect_client_credentials', 200, 'forgets the client'],
  ['bad_client_secret', 200, 'forgets the client'],
  ['invalid_client_id', 200, 'forgets the client'],
])('a refresh that is answered with %s (%d) ends the login and %s', async (error, status, client) => {
  const { server, store, login } = await expiredAt({ '/token': () => ({ status, json: { error } }) });
  await expect(login.token(true)).rejects.toThrow(LoginNeeded);
  const { tokens: _, ...rest } = server.expired;
  expect(await store.find('guard')).toStrictEqual(client === 'keeps the client' ? rest : undefined);
});

const RENEWED = {
  json: { access_token: 'new', token_type: 'Bearer', refresh_token: 'second' },
};

/** A server that answers after this time; later than a limit, the request does not wait for it. */
async function slowServer(ms: number) {
  const pass = scriptedLimits();
  const slow = () => {
    pass(ms);
    return RENEWED;
  };
  return expiredAt({ '/token': slow, '/revoke': slow, '/metadata': slow });
}

test('a token has 30 s, and is stored: a second request would end the login; metadata and the end of a token have 5 s', async () => {
  const { store, login } = await slowServer(29_999);
  expect(await login.token(true)).toBe('new');
  expect((await store.find('guard'))?.tokens).toStrictEqual({ access: 'new', refresh: 'second' });
  const late = await slowServer(30_000);
  await expect(late.login.token(true)).rejects.toThrow(
    'The login cannot be renewed: the server does not answer in time.',
  );
  // It does not end the login.
  expect((await late.store.find('guard'))?.tokens).toStrictEqual(late.server.expired.tokens);
  const { expired, url, origin } = (await slowServer(5000)).server;
  expect(await revoke(expired)).toBe(false);
  await expect(metadataFetch(url)(`${origin}/metadata`)).rejects.toThrow('The limit is over.');
});

/** A server whose answer to a renewal comes when the test says so. */
async function waitingServer() {
  const { promise: answered, resolve: answer } = Promise.withResolvers<Answer>();
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
  const opened = await expiredAt({
    '/token': () => {
      isAsked();
      return answered;
    },
  });
  return { ...opened, asked, answer: () => answer(RENEWED) };
}

test('two processes renew a login once, and no lock is held over the request', async () => {
  const { server, store, login, asked, answer } = await waitingServer();
  const second = await loginOf(server, store);
  const tokens = [login.token(true)];
  await asked;
  expect(login.isRenewing).toBe(true);
  const looked = vi.spyOn(store, 'whileLocked');
  tokens.push(second.token(true));
  // The second one has seen the renewal.
  await expect.poll(() => looked.mock.settledResults[0]?.type).toBe('fulfilled');
  // Without a lock it ends at once.
  await second.lacks('more');
  answer();
  expect(await Promise.all(tokens)).toStrictEqual(['new', 'new']);
  expect(server.received).toHaveLength(1);
  expect(await store.find('guard')).toStrictEqual({
    ...server.expired,
    tokens: { access: 'new', refresh: 'second' },
    lacks: 'more',
  });
});

test('a logout does not wait for a renewal, and what comes back then is revoked', async () => {
  const { server, store, login, asked, answer } = await waitingServer();
  const token = login.token(true);
  await asked;
  await store.removeAll('guard');
  answer();
  await expect(token).rejects.toThrow(LoginNeeded);
  expect(await store.find('guard')).toBeUndefined();
  expect(server.received.map(({ path }) => path)).toStrictEqual(['/token', '/revoke']);
});

test('a new login during a renewal counts, and the old one is revoked', async () => {
  const { server, store, login, asked, answer } = await waitingServer();
  const token = login.token(true);
  await asked;
  const newer = { ...server.expired, tokens: { access: 'of the person' }, since: new Date().toISOString() };
  await store.save('guard', newer);
  answer();
  expect(await token).toBe('of the person');
  expect(await store.find('guard')).toStrictEqual(newer);
  expect(server.received.map(({ path }) => path)).toStrictEqual(['/token', '/revoke']);
});

test('a process that was killed while it renewed a login holds up nobody', async () => {
  const { server, store, login } = await expiredAt();
  const [, start, place] = thisOwner().split('.');
  // Its renewal is not over because of its time.
  vi.spyOn(store, 'now').mockReturnValue(new Date());
  const renewing = { owner: `${2 ** 30}.${start}.${place}`, since: new Date().toISOString() };
  await store.save('guard', { ...server.expired, renewing });
  expect(await login.token(true)).toBe('new');
  expect(await store.find('guard')).not.toHaveProperty('renewing');
});

test.each([0, null, 1e16])(
  'a token that ends in %s seconds lasts until it is refused',
  async (expires_in) => {
    const json = { access_token: 'new', token_type: 'Bearer', expires_in };
    const { server, store, login } = await expiredAt({ '/token': () => ({ json }) });
    expect([await login.token(true), await login.token(true)]).toStrictEqual(['new', 'new']);
    expect(server.received).toHaveLength(1);
    expect((await store.find('guard'))?.tokens).toStrictEqual({ access: 'new', refresh: 'first' });
  },
);

const CHALLENGE = 'Bearer scope="read list"';

type Reply = Answers[string];

const challenged =
  (more = ''): Reply =>
  ({ headers, body }, origin) =>
    headers['x-tenant'] === 'desk' && body.includes('ping')
      ? { status: 401, headers: { 'www-authenticate': CHALLENGE + more.replace('ORIGIN', origin) } }
      : { status: 400 };

test('the configured headers go to the server that a login asks where it is, and nowhere else', async () => {
  const server = await scriptedServer({ '/mcp': challenged() });
  expect(await scopeAsked(server.url, newStore(), { 'X-Tenant': 'desk' })).toBe('read list');
  const got = server.received.filter(({ headers }) => 'x-tenant' in headers);
  expect(got.map(({ path }) => path)).toStrictEqual(['/mcp']);
});

const NAMED = challenged(', resource_metadata="ORIGIN/about"');
const redirected =
  (location: string, status = 307): Reply =>
  () => ({ status, headers: { location } });
const about =
  (path: string): Reply =>
  (_, origin) => ({ json: { resource: `${origin}${path}`, authorization_servers: [origin] } });
const MOVED = { '/mcp': redirected('/moved'), '/moved': redirected('/mcp/', 308), '/mcp/': NAMED };
const PLACE = '/.well-known/oauth-protected-resource/mcp';

test.each<readonly [string, Answers, resource: string]>([
  ['as the server writes it, without a path', { '/mcp': NAMED, '/about': about('') }, ''],
  ['of before its redirects to /mcp/', { ...MOVED, '/about': about('/mcp') }, '/mcp'],
  ['of after its redirects to /mcp/', { ...MOVED, '/about': about('/mcp/') }, '/mcp/'],
  [
    'of its public address, which the answer after a redirect names',
    { '/mcp': redirected('/v2/mcp'), '/v2/mcp': NAMED, '/about': about('/mcp') },
    '/mcp',
  ],
  [
    'of its public address, at the place of that address',
    { '/mcp': redirected('/v2/mcp'), '/v2/mcp': challenged(), [PLACE]: about('/mcp') },
    '/mcp',
  ],
])('a login, with the configured headers, is for the resource %s', async (_, answers, resource) => {
  const server = await scriptedServer(answers);
  const store = newStore();
  expect(await scopeAsked(server.url, store, { 'X-Tenant': 'desk' })).toBe('read list');
  expect(await store.find('guard')).toMatchObject({ resource: `${server.origin}${resource}` });
});

test('a login follows a redirect to no other host, and not for ever', async () => {
  const other = await scriptedServer({});
  const server = await scriptedServer({
    '/mcp': () => ({ status: 307, headers: { location: other.url } }),
    '/circle': () => ({ status: 307, headers: { location: '/circle' } }),
  });
  await scopeAsked(server.url, newStore(), { 'X-Tenant': 'desk' });
  expect(other.received).toStrictEqual([]);
  await scopeAsked(`${server.origin}/circle`, newStore());
  expect(server.received.filter(({ path }) => path === '/circle')).toHaveLength(6);
});

test('a login for more rights keeps those it has, also if the server does not say which these are', async () => {
  const server = await scriptedServer({
    '/mcp': () => ({ status: 401, headers: { 'www-authenticate': 'Bearer scope="read"' } }),
  });
  const store = newStore();
  const login = await loginOf(server, store);
  expect(await scopeAsked(server.url, store)).toBe('read');
  await login.lacks('list');
  await scopeAsked(server.url, store);
  await login.lacks('write');
  expect(await scopeAsked(server.url, store)).toBe('read list write');
});

test.each([
  [['a', 'b', ''], 'a b'],
  [[''], ''],
])(
  'the rights %j that a login lacks are part of the next one, also if they have no names',
  async (all, lacks) => {
    const { store, login } = await expiredAt();
    for (const scope of all) await login.lacks(scope);
    expect(await store.find('guard')).toMatchObject({ lacks });
  },
);

const SECRET = { client_id: 'desk', client_secret: 's3cret' };

test.each([
  [SECRET, ['client_secret_basic', 'client_secret_post'], 'Basic ZGVzazpzM2NyZXQ=', {}],
  // Without metadata, Basic is the method of a client with a secret.
  [SECRET, undefined, 'Basic ZGVzazpzM2NyZXQ=', {}],
  [SECRET, ['client_secret_post'], undefined, SECRET],
  [
    { ...SECRET, token_endpoint_auth_method: 'client_secret_post' },
    ['client_secret_basic', 'client_secret_post'],
    undefined,
    SECRET,
  ],
  [{ client_id: 'desk' }, ['none'], undefined, { client_id: 'desk' }],
])('logout of %o with %o authenticates as a refresh does', async (client, methods, authorization, fields) => {
  const metadata = methods === undefined ? {} : { token_endpoint_auth_methods_supported: methods };
  const { server, store, login } = await expiredAt({}, metadata);
  await store.save('guard', { ...server.expired, client });
  await login.token(true);
  expect(await revoke({ ...server.expired, client })).toBe(true);
  const [refresh, end] = server.received.map(({ headers, body }) => ({
    authorization: headers.authorization,
    fields: Object.fromEntries(new URLSearchParams(body)),
  }));
  expect(end).toStrictEqual({ authorization, fields: { token: 'first', ...fields } });
  expect(refresh).toStrictEqual({
    authorization,
    fields: { grant_type: 'refresh_token', refresh_token: 'first', ...fields },
  });
});
