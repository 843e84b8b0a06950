import { expect, test } from 'vitest';
import { allow, scriptedServer } from '../testing/authorization-server.ts';
import { jsonOf } from '../testing/fake.ts';
import { loginServer } from '../testing/login-server.ts';
import { offeredLogin } from '../testing/offered-login.ts';

const MINUTE_MS = 60_000;

const NEEDED = { code: 'LOGIN_NEEDED', hint: expect.stringContaining('in the window that offers it') };

test('a call without a login fails at once, and the person logs in with one press', async () => {
  const server = await loginServer();
  const { call, asked, opened, open } = await offeredLogin(server);
  // No call waits for the person, and equal ones share an offer.
  const answers = await Promise.all([call(), call(), call()]);
  for (const answer of answers) expect(jsonOf(answer)).toMatchObject(NEEDED);
  const { request, caller, answer } = await asked();
  // The client, which is an agent, does not choose where.
  expect(caller).toMatchObject({ client: { env: { DISPLAY: ':7' } }, item: { display: ':7' } });
  expect(request).toMatchObject({
    kind: 'approval',
    message: 'Log in to guard?',
    approval: {
      claim: `guard (${server.url}) needs a login. Your browser opens for it.`,
      offer: { accept: 'Log in', refuse: 'Not now' },
      more: [],
    },
  });
  expect(opened).toStrictEqual([]);
  answer({ kind: 'allowed', scope: 'once' });
  const news = await asked();
  expect(news.caller.client?.env).toStrictEqual({ DISPLAY: ':7' });
  expect(news.request).toMatchObject({ kind: 'news', isOwn: true, message: 'You are logged in to guard.' });
  expect(opened).toHaveLength(1);
  expect(await call()).toMatchObject({ content: [{ text: 'pong' }] });
  news.answer({ kind: 'displayed' });
  expect(open).toHaveLength(0);
});

test('the login that is offered asks the server with the configured headers', async () => {
  const { url } = await scriptedServer({
    '/mcp': ({ headers }) =>
      headers['x-tenant'] === 'desk'
        ? { status: 401, headers: { 'www-authenticate': 'Bearer scope="read"' } }
        : { status: 400 },
  });
  const { call, asked, opened } = await offeredLogin({ url, headers: { 'X-Tenant': 'desk' } }, { go: allow });
  await call();
  (await asked()).answer({ kind: 'allowed', scope: 'once' });
  (await asked()).answer({ kind: 'displayed' });
  expect(opened.map((address) => new URL(address).searchParams.get('scope'))).toStrictEqual(['read']);
});

test('more rights that a tool demands are offered, too, and other tools go on', async () => {
  const server = await loginServer();
  const { call, asked } = await offeredLogin(server);
  await call();
  (await asked()).answer({ kind: 'allowed', scope: 'once' });
  (await asked()).answer({ kind: 'displayed' });
  await call('guarded');
  const { request, answer } = await asked();
  expect(request.approval?.claim).toContain('needs a login with more rights: base extra.');
  expect(await call()).toMatchObject({ content: [{ text: 'pong' }] });
  answer({ kind: 'allowed', scope: 'once' });
  (await asked()).answer({ kind: 'displayed' });
  expect(await call('guarded')).toMatchObject({ content: [{ text: 'more pong' }] });
});

test.each(['denied', 'dismissed'] as const)('%s: it is not offered again for 15 minutes', async (kind) => {
  const server = await loginServer();
  const { call, asked, opened, open, pass } = await offeredLogin(server);
  await call();
  (await asked()).answer(kind === 'denied' ? { kind, text: '' } : { kind });
  await call();
  pass(15 * MINUTE_MS - 1);
  await call();
  expect(open).toHaveLength(0);
  pass(1);
  await call();
  await asked();
  expect(opened).toStrictEqual([]);
});

test('what goes wrong is said, and the next call offers it again', async () => {
  const server = await loginServer();
  const { call, asked } = await offeredLogin(server, { go: () => false });
  await call();
  (await asked()).answer({ kind: 'allowed', scope: 'once' });
  const news = await asked();
  expect(news.request.message).toBe('No browser opens here. Run "deskside login guard" in a terminal.');
  news.answer({ kind: 'displayed' });
  await call();
  expect((await asked()).request.kind).toBe('approval');
});

test('without a display nothing is shown, and a later call asks again', async () => {
  const { call, asked, opened, open } = await offeredLogin(await loginServer());
  await call();
  (await asked()).answer({ kind: 'no-display', tried: [] });
  expect(open).toHaveLength(0);
  await call();
  await asked();
  expect(opened).toStrictEqual([]);
});

test('the login of another user is not offered to the person at the desk', async () => {
  const { call, open } = await offeredLogin(await loginServer(), { user: 'bob' });
  expect(jsonOf(await call())).toMatchObject(NEEDED);
  expect(open).toHaveLength(0);
});

test('a desk that ends withdraws the offer', async () => {
  const { call, asked, offer } = await offeredLogin(await loginServer());
  await call();
  const asking = await asked();
  offer[Symbol.dispose]();
  await expect.poll(() => asking.isOpen).toBe(false);
});
