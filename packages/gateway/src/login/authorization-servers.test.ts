import { join } from 'node:path';
import { thisOwner } from '@deskside/desktop';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { metadataFetch } from '../external/metadata-fetch.ts';
import { LoginNeeded } from '../external/problems.ts';
import type { ServerLogin } from '../external/spec.ts';
import { allow, type Answer, type ScriptedServer, scriptedServer } from '../testing/authorization-server.ts';
import { running } from '../testing/external.ts';
import { logIn } from './log-in.ts';
import { revoke } from './revoke.ts';
import { withLogin } from './server-login.ts';
import { LoginStore } from './login-store.ts';

function newStore(): LoginStore {
  return new LoginStore(join(temporaryFolder(), 'logins'));
}

/** What calls of a server use. */
async function loginOf({ url }: Pick<ScriptedServer, 'url'>, store: LoginStore): Promise<ServerLogin> {
  const server = await withLogin('guard', running({ url }), { env: {}, store }).server();
  if (!('url' in server) || server.login === undefined) throw new Error('no login');
  return server.login;
}

/** @returns the scope that the person was asked for */
async function logInAt(server: string, store: LoginStore, headers?: Readonly<Record<string, string>>) {
  let scope: string | null = null;
  const show = ({ href, searchParams }: URL) => {
    scope = searchParams.get('scope');
    void allow(href);
  };
  const pasted = new Promise<string>(() => undefined);
  await logIn({ id: 'guard', server, headers, store, pasted, show });
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
  ['bad_refresh_token', 200],
  ['invalid_refresh_token', 200],
  ['interaction_required', 400],
  ['consent_required', 400],
  ['login_required', 400],
])('a refresh that is answered with %s ends the login', async (error, status) => {
  const server = await scriptedServer({ '/token': () => ({ status, json: { error } }) });
  const store = newStore();
  await store.save('guard', server.expired);
  await expect((await loginOf(server, store)).token(true)).rejects.toThrow(LoginNeeded);
  const { tokens: _, ...rest } = server.expired;
  expect(await store.find('guard')).toStrictEqual(rest);
});

test.each(['incorrect_client_credentials', 'bad_client_secret', 'invalid_client_id'])(
  'a refresh that is answered with %s ends the login and the client',
  async (error) => {
    const server = await scriptedServer({ '/token': () => ({ json: { error } }) });
    const store = newStore();
    await store.save('guard', server.expired);
    await expect((await loginOf(server, store)).token(true)).rejects.toThrow(LoginNeeded);
    expect(await store.find('guard')).toBeUndefined();
  },
);

test('a refresh that takes 29 s is stored: a second one with the same token would end the login', async () => {
  const pass = scriptedLimits();
  const json = { access_token: 'new', token_type: 'Bearer', refresh_token: 'second' };
  const server = await scriptedServer({
    '/token': () => {
      pass(29_000);
      return { json };
    },
  });
  const store = newStore();
  await store.save('guard', server.expired);
  expect(await (await loginOf(server, store)).token(true)).toBe('new');
  expect((await store.find('guard'))?.tokens).toStrictEqual({ access: 'new', refresh: 'second' });
});

/** Its answer comes after the limit, which the request does not wait for. */
async function slowServer(ms: number) {
  const pass = scriptedLimits();
  const { promise, resolve } = Promise.withResolvers<Answer>();
  onTestFinished(() => resolve({}));
  const slow = () => {
    pass(ms);
    return promise;
  };
  return scriptedServer({ '/token': slow, '/revoke': slow, '/metadata': slow });
}

test('a token has 30 s, metadata and the end of a token have 5 s', async () => {
  const store = newStore();
  const server = await slowServer(30_000);
  await store.save('guard', server.expired);
  await expect((await loginOf(server, store)).token(true)).rejects.toThrow(
    'The login cannot be renewed: the server does not answer in time.',
  );
  const { expired, url, origin } = await slowServer(5000);
  expect(await revoke(expired)).toBe(false);
  await expect(metadataFetch(url)(`${origin}/metadata`)).rejects.toThrow('The limit is over.');
});

/** A server whose answer to a renewal comes when the test says so. */
async function waitingServer() {
  const { promise: answered, resolve: answer } = Promise.withResolvers<Answer>();
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
  const server = await scriptedServer({
    '/token': () => {
      isAsked();
      return answered;
    },
    '/revoke': () => ({}),
  });
  const json = { access_token: 'new', token_type: 'Bearer', refresh_token: 'second' };
  return { ...server, asked, answer: () => answer({ json }) };
}

test('two processes renew a login once, and no lock is held over the request', async () => {
  const store = newStore();
  const server = await waitingServer();
  await store.save('guard', server.expired);
  const [first, second] = [await loginOf(server, store), await loginOf(server, store)];
  const tokens = [first.token(true)];
  await server.asked;
  expect(first.isRenewing).toBe(true);
  tokens.push(second.token(true));
  // Without a lock it ends at once.
  await second.lacks('more');
  server.answer();
  expect(await Promise.all(tokens)).toStrictEqual(['new', 'new']);
  expect(server.received).toHaveLength(1);
  expect(await store.find('guard')).toStrictEqual({
    ...server.expired,
    tokens: { access: 'new', refresh: 'second' },
    lacks: 'more',
  });
});

test('a logout does not wait for a renewal, and what comes back then is revoked', async () => {
  const store = newStore();
  const server = await waitingServer();
  await store.save('guard', server.expired);
  const token = (await loginOf(server, store)).token(true);
  await server.asked;
  await store.removeAll('guard');
  server.answer();
  await expect(token).rejects.toThrow(LoginNeeded);
  expect(await store.find('guard')).toBeUndefined();
  expect(server.received.map(({ path }) => path)).toStrictEqual(['/token', '/revoke']);
});

test('a new login during a renewal counts, and the old one is revoked', async () => {
  const store = newStore();
  const server = await waitingServer();
  await store.save('guard', server.expired);
  const token = (await loginOf(server, store)).token(true);
  await server.asked;
  const newer = { ...server.expired, tokens: { access: 'of the person' }, since: new Date().toISOString() };
  await store.save('guard', newer);
  server.answer();
  expect(await token).toBe('of the person');
  expect(await store.find('guard')).toStrictEqual(newer);
});

test('a process that was killed while it renewed a login holds up nobody', async () => {
  const store = newStore();
  const json = { access_token: 'new', token_type: 'Bearer' };
  const server = await scriptedServer({ '/token': () => ({ json }) });
  const [, start, place] = thisOwner().split('.');
  const renewing = { owner: `${2 ** 30}.${start}.${place}`, since: new Date().toISOString() };
  await store.save('guard', { ...server.expired, renewing });
  expect(await (await loginOf(server, store)).token(true)).toBe('new');
  expect(await store.find('guard')).not.toHaveProperty('renewing');
});

test.each([0, null, 1e16])(
  'a token that ends in %s seconds lasts until it is refused',
  async (expires_in) => {
    const json = { access_token: 'new', token_type: 'Bearer', expires_in };
    const server = await scriptedServer({ '/token': () => ({ json }) });
    const store = newStore();
    await store.save('guard', server.expired);
    const login = await loginOf(server, store);
    expect([await login.token(true), await login.token(true)]).toStrictEqual(['new', 'new']);
    expect(server.received).toHaveLength(1);
    expect((await store.find('guard'))?.tokens).toStrictEqual({ access: 'new', refresh: 'first' });
  },
);

const CHALLENGE = 'Bearer scope="read list"';

test('the configured headers go to the server that a login asks where it is, and nowhere else', async () => {
  const server = await scriptedServer({
    '/mcp': ({ headers }) =>
      headers['x-tenant'] === 'desk'
        ? { status: 401, headers: { 'www-authenticate': CHALLENGE } }
        : { status: 400 },
  });
  expect(await logInAt(server.url, newStore(), { 'X-Tenant': 'desk' })).toBe('read list');
  const got = server.received.filter(({ headers }) => 'x-tenant' in headers);
  expect(got.map(({ path }) => path)).toStrictEqual(['/mcp']);
});

test.each(['/mcp', '/mcp/'])(
  'a login follows redirects to /mcp/ on its host, with the headers, to the resource %s',
  async (path) => {
    const server = await scriptedServer({
      '/mcp': () => ({ status: 307, headers: { location: '/moved' } }),
      '/moved': () => ({ status: 308, headers: { location: '/mcp/' } }),
      '/mcp/': ({ headers, body }, origin) => ({
        status: headers['x-tenant'] === 'desk' && body.includes('ping') ? 401 : 400,
        headers: { 'www-authenticate': `${CHALLENGE}, resource_metadata="${origin}/about"` },
      }),
      '/about': (_, origin) => ({ json: { resource: `${origin}${path}`, authorization_servers: [origin] } }),
    });
    const store = newStore();
    expect(await logInAt(server.url, store, { 'X-Tenant': 'desk' })).toBe('read list');
    expect(await store.find('guard')).toMatchObject({ resource: `${server.origin}${path}` });
  },
);

test('a resource without a path is asked for exactly as the server writes it', async () => {
  const server = await scriptedServer({
    '/mcp': (_request, origin) => ({
      status: 401,
      headers: { 'www-authenticate': `${CHALLENGE}, resource_metadata="${origin}/about"` },
    }),
    '/about': (_request, origin) => ({ json: { resource: origin, authorization_servers: [origin] } }),
  });
  const store = newStore();
  await logInAt(server.url, store);
  expect(await store.find('guard')).toMatchObject({ resource: server.origin });
});

test.each([
  ['that its answer names', '/about'],
  ['at the place of its address', '/.well-known/oauth-protected-resource/mcp'],
])('a server that redirects within its host has the metadata of its public address, %s', async (_, place) => {
  const server = await scriptedServer({
    '/mcp': () => ({ status: 307, headers: { location: '/v2/mcp' } }),
    '/v2/mcp': (_request, origin) => ({
      status: 401,
      headers: {
        'www-authenticate': `${CHALLENGE}${place === '/about' ? `, resource_metadata="${origin}/about"` : ''}`,
      },
    }),
    [place]: (_request, origin) => ({
      json: { resource: `${origin}/mcp`, authorization_servers: [origin] },
    }),
  });
  const store = newStore();
  await logInAt(server.url, store);
  expect(await store.find('guard')).toMatchObject({ resource: `${server.origin}/mcp` });
});

test('a login follows a redirect to no other host, and not for ever', async () => {
  const other = await scriptedServer({});
  const server = await scriptedServer({
    '/mcp': () => ({ status: 307, headers: { location: other.url } }),
    '/circle': () => ({ status: 307, headers: { location: '/circle' } }),
  });
  await logInAt(server.url, newStore(), { 'X-Tenant': 'desk' });
  expect(other.received).toStrictEqual([]);
  await logInAt(`${server.origin}/circle`, newStore());
  expect(server.received.filter(({ path }) => path === '/circle')).toHaveLength(6);
});

test('a login for more rights keeps those it has, also if the server does not say which these are', async () => {
  const server = await scriptedServer({
    '/mcp': () => ({ status: 401, headers: { 'www-authenticate': 'Bearer scope="read"' } }),
  });
  const store = newStore();
  const login = await loginOf(server, store);
  expect(await logInAt(server.url, store)).toBe('read');
  await login.lacks('list');
  await logInAt(server.url, store);
  await login.lacks('write');
  expect(await logInAt(server.url, store)).toBe('read list write');
});

test('all rights that a login lacks are part of the next one', async () => {
  const server = await scriptedServer({});
  const store = newStore();
  await store.save('guard', server.expired);
  const login = await loginOf(server, store);
  for (const scope of ['a', 'b', '']) await login.lacks(scope);
  expect(await store.find('guard')).toMatchObject({ lacks: 'a b' });
});

test('a login lacks rights that the server does not name', async () => {
  const server = await scriptedServer({});
  const store = newStore();
  await store.save('guard', server.expired);
  await (await loginOf(server, store)).lacks('');
  expect(await store.find('guard')).toMatchObject({ lacks: '' });
});

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
  const server = await scriptedServer(
    {},
    methods === undefined ? {} : { token_endpoint_auth_methods_supported: methods },
  );
  const store = newStore();
  await store.save('guard', { ...server.expired, client });
  await (await loginOf(server, store)).token(true);
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
