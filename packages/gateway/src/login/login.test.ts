import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { listen, temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { metadataFetch } from '../external/metadata-fetch.ts';
import type { LoginClient } from '../external/spec.ts';
import { running, trustingSource } from '../testing/external.ts';
import { callOf, jsonOf, listingOf } from '../testing/fake.ts';
import { logInAt, newStore } from '../testing/log-in-at.ts';
import { browse, type LoginServer, loginServer } from '../testing/login-server.ts';
import { openDesk } from '../testing/open-desk.ts';
import { openRedirect } from './redirect.ts';
import { type LoginContext, loginVariable, withLogin } from './server-login.ts';
import { LoginStore } from './login-store.ts';

async function deskOf({ url }: Pick<LoginServer, 'url'>, context: Partial<LoginContext>) {
  const spec = withLogin('guard', running({ url }), { env: {}, ...context });
  const sources = { guard: trustingSource(listingOf('ping', 'guarded')) };
  const { peer } = await openDesk({ guard: spec }, { sources });
  return (tool = 'ping') => callOf(peer, `guard_${tool}`);
}

/** The stored login, with an access token that has expired. */
async function expire(store: LoginStore, { url }: LoginServer) {
  const login = await store.find('guard', url);
  if (login?.tokens === undefined) throw new Error('no login');
  const tokens = { ...login.tokens, access: 'old', expires: new Date(0).toISOString() };
  await store.save('guard', { ...login, tokens });
}

/** A person who has logged in at a server, and a desk with it. */
async function loggedIn() {
  const server = await loginServer();
  const store = newStore();
  const login = await logInAt(server.url, store);
  return { server, store, login, call: await deskOf(server, { store }) };
}

const PONG = { content: [{ text: 'pong' }] };

test('a login in the browser is stored in a private file, and calls are answered', async () => {
  const server = await loginServer();
  const folder = join(temporaryFolder(), 'logins');
  const store = new LoginStore(folder);
  const call = await deskOf(server, { store });
  expect(jsonOf(await call())).toMatchObject({
    code: 'LOGIN_NEEDED',
    hint: expect.stringContaining('deskside login guard'),
  });
  const pages: Promise<Response>[] = [];
  await logInAt(server.url, store, { go: (address) => pages.push(browse(address)) });
  expect(await (await pages[0])?.text()).toContain('You are logged in to guard.');
  const [name = '', ...others] = readdirSync(folder);
  expect(others).toStrictEqual([]);
  expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  const { url, issuer } = server;
  const file = join(folder, name);
  const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
  expect(content).toMatchObject({ server: url, issuer, resource: url });
  // The running desk has it at once.
  expect(await call()).toMatchObject(PONG);
  expect(server.grants).toStrictEqual(['authorization_code']);
  chmodSync(file, 0o644);
  await expect(store.find('guard')).rejects.toThrow('chmod 600');
  chmodSync(file, 0o600);
  writeFileSync(file, JSON.stringify({ ...Object(content), since: 'soon' }));
  await expect(store.find('guard')).rejects.toThrow('cannot be used. Delete it, and log in again.');
});

test('twenty calls at expiry make one refresh, and none fails', async () => {
  const { server, store, call } = await loggedIn();
  // The connection is open.
  expect(await call()).toMatchObject(PONG);
  await expire(store, server);
  const answers = await Promise.all(Array.from({ length: 20 }, () => call()));
  for (const answer of answers) expect(answer).toMatchObject(PONG);
  expect(server.grants).toStrictEqual(['authorization_code', 'refresh_token']);
  // The token that came with it is good for the next refresh.
  await expire(store, server);
  expect(await call()).toMatchObject(PONG);
});

test('a token that the server refuses before its time is renewed during the call', async () => {
  const { store, login, call } = await loggedIn();
  const { expires: _, ...tokens } = { ...login.tokens, access: 'unknown' };
  await store.save('guard', { ...login, tokens });
  expect(await call()).toMatchObject(PONG);
});

test('a server that registers no clients gets the id and the secret of a registered one, also at a refresh', async () => {
  const client = { id: 'desk', secret: 's3cret-of-the-desk' };
  const server = await loginServer(client);
  const store = newStore();
  const logInAs = (given?: LoginClient) => logInAt(server.url, store, { client: given });
  await expect(logInAs()).rejects.toThrow('The login to guard has failed');
  await expect(logInAs({ ...client, secret: 'wrong' })).rejects.toThrow('"invalid_client"');
  await logInAs(client);
  const call = await deskOf(server, { store });
  expect(await call()).toMatchObject(PONG);
  await expire(store, server);
  expect(await call()).toMatchObject(PONG);
  expect(server.grants).toStrictEqual(['authorization_code', 'refresh_token']);
});

test('two servers at one address have a login each', async () => {
  const server = await loginServer();
  const store = newStore();
  const specOf = (id: string) => withLogin(id, running({ url: server.url }), { env: {}, store });
  const source = trustingSource(listingOf('ping'));
  const { peer } = await openDesk(
    { work: specOf('work'), home: specOf('home') },
    { sources: { work: source, home: source } },
  );
  const work = await logInAt(server.url, store, { id: 'work' });
  expect(await callOf(peer, 'work_ping')).toMatchObject(PONG);
  expect(jsonOf(await callOf(peer, 'home_ping'))).toMatchObject({ code: 'LOGIN_NEEDED' });
  const home = await logInAt(server.url, store, { id: 'home' });
  expect(await callOf(peer, 'home_ping')).toMatchObject(PONG);
  expect(await store.find('work')).toStrictEqual(work);
  expect(home.tokens?.access).not.toBe(work.tokens?.access);
});

test('another user logs in for themselves, and each login is used, renewed and ended alone, unless it is shared', async () => {
  const server = await loginServer();
  const store = newStore();
  const others = await deskOf(server, { store, user: 'ada' });
  // The person at the desk has no login either.
  expect(jsonOf(await others())).toMatchObject({ hint: expect.stringContaining('--as owner') });
  const own = store.of('owner');
  await logInAt(server.url, own);
  expect(await others()).toMatchObject(PONG);
  expect(await store.find('guard')).toBeUndefined();
  const adas = await deskOf(server, { store, user: 'owner' });
  expect(jsonOf(await adas())).toMatchObject({ code: 'LOGIN_NEEDED' });
  await logInAt(server.url, store);
  const kept = await store.find('guard');
  await expire(own, server);
  expect(await others()).toMatchObject(PONG);
  expect(server.grants).toStrictEqual(['authorization_code', 'authorization_code', 'refresh_token']);
  expect(await store.find('guard')).toStrictEqual(kept);
  await own.removeAll('guard');
  expect(jsonOf(await others())).toMatchObject({
    code: 'LOGIN_NEEDED',
    hint: 'Tell the person: run "deskside login guard --as owner" where Deskside runs. Then make the call again.',
  });
  expect(await (await deskOf(server, { store, user: 'ada', login: 'shared' }))()).toMatchObject(PONG);
  expect(await adas()).toMatchObject(PONG);
});

test('an address with another state is refused, and the login goes on', async () => {
  const server = await loginServer();
  const store = newStore();
  const refused: number[] = [];
  const go = async (address: string) => {
    const redirect = new URL(address).searchParams.get('redirect_uri') ?? '';
    refused.push((await fetch(`${redirect}?code=x&state=other`)).status);
    refused.push((await fetch(`${redirect}?code=x`)).status);
    await browse(address);
  };
  await logInAt(server.url, store, { go });
  expect(refused).toStrictEqual([400, 400]);
});

test('after a refusal in the browser the login has failed, which the page says, too', async () => {
  const message = 'The login to guard has failed: the answer is access_denied.';
  const server = await loginServer();
  const store = newStore();
  const pages: Promise<Response>[] = [];
  const go = (address: string) => {
    const { searchParams } = new URL(address);
    const query = new URLSearchParams({ error: 'access_denied', state: searchParams.get('state') ?? '' });
    pages.push(fetch(`${searchParams.get('redirect_uri')}?${query.toString()}`));
  };
  await expect(logInAt(server.url, store, { go })).rejects.toThrow(message);
  expect(await (await pages[0])?.text()).toContain(message);
  expect(await store.find('guard')).toBeUndefined();
});

test('a pasted address of another login is refused', async () => {
  const server = await loginServer();
  const pasted = Promise.resolve('http://127.0.0.1:1/callback?code=x&state=other');
  const login = logInAt(server.url, newStore(), { go: () => undefined, pasted });
  await expect(login).rejects.toThrow('belongs to another login');
});

test('metadata without end are refused, and are not read to the end', async () => {
  let sent = 0;
  const chunk = Buffer.alloc(64 * 1024, ' ');
  await using server = await listen((request, response) => {
    if (request.url === '/mcp') return void response.writeHead(401).end();
    response.writeHead(200, { 'content-type': 'application/json' });
    const more = () => {
      while (!response.destroyed && sent < 2 ** 30) {
        sent += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', more);
      }
    };
    more();
  });
  const login = logInAt(`${server.origin}/mcp`, newStore());
  await expect(login).rejects.toThrow('The answer is longer than 65536 bytes');
  expect(sent).toBeLessThan(32 * 2 ** 20);
});

test.each([
  ['http://127.0.0.1:1/x', '127.0.0.1:1 is not asked without https.'],
  ['https://127.0.0.1:1/x', '127.0.0.1:1 is an address of this machine or its network.'],
  ['https://localhost:1/x', 'localhost:1 is an address of this machine or its network.'],
  ['https://10.1.2.3/x', '10.1.2.3 is an address of this machine or its network.'],
  ['https://169.254.169.254/x', '169.254.169.254 is an address of this machine or its network.'],
  ['https://[::1]/x', '[::1] is an address of this machine or its network.'],
  ['https://[fd00::1]/x', '[fd00::1] is an address of this machine or its network.'],
  ['https://[::ffff:192.168.0.1]/x', '[::ffff:c0a8:1] is an address of this machine or its network.'],
  ['https://0x7f.1/x', '127.0.0.1 is an address of this machine or its network.'],
])('a server on the internet does not make the desk ask %s', async (target, message) => {
  // A documentation address: nothing is looked up.
  await expect(metadataFetch('https://203.0.113.1/mcp')(target)).rejects.toThrow(message);
});

test('a connection that the browser opens and does not use does not delay the end of a login', async () => {
  const redirect = await openRedirect('state');
  const socket = connect(Number(new URL(redirect.url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  const page = fetch(`${redirect.url}?code=x&state=state`);
  await redirect.params;
  redirect.finish('Done.');
  await redirect[Symbol.asyncDispose]();
  expect(await (await page).text()).toContain('Done.');
});

test('a refused token of a variable names the variable', async () => {
  const spec = running({ url: 'https://x.example/mcp' });
  const server = await withLogin('x', spec, { env: { [loginVariable('x')]: 'old' } }).server();
  const login = 'login' in server ? server.login : undefined;
  await expect(login?.renewed('old')).rejects.toThrow('the token in DESKSIDE_LOGIN_X. Replace it.');
});

test('a variable has the token of a container, and an answer that lacks a scope names it, not a login', async () => {
  const { server, login } = await loggedIn();
  const env = { [loginVariable('guard')]: login.tokens?.access };
  const call = await deskOf(server, { store: newStore(), env });
  expect(await call()).toMatchObject(PONG);
  expect(jsonOf(await call('guarded'))).toMatchObject({
    error: 'guard is not available. The token in DESKSIDE_LOGIN_GUARD lacks rights: base extra. Replace it.',
    code: 'UNAVAILABLE',
  });
});

test('a request without an address does not end the program that waits for a login', async () => {
  await using redirect = await openRedirect('state');
  expect((await fetch(`${new URL(redirect.url).origin}//`)).status).toBe(404);
});
