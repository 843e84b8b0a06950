import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { hasChromium, sharedBrowser } from '@deskside/testkit/chromium';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { LoginClient } from '../external/spec.ts';
import { running, trustingSource } from '../testing/external.ts';
import { callOf, jsonOf, listingOf } from '../testing/fake.ts';
import { loginServer } from '../testing/login-server.ts';
import { openDesk } from '../testing/open-desk.ts';
import { logIn } from './log-in.ts';
import { LoginStore } from './login-store.ts';
import { withLogin } from './server-login.ts';

const CONFIGURATIONS: readonly (readonly [string, LoginClient | undefined])[] = [
  ['registers clients', undefined],
  ['knows one client, which has a secret', { id: 'desk', secret: 's3cret-of-the-desk' }],
];

/** A person with a browser, and a desk with a server that needs a login at an authorization server with pages. */
async function openScene(client: LoginClient | undefined) {
  const server = await loginServer(client, true);
  const store = new LoginStore(join(temporaryFolder(), 'logins'));
  const spec = withLogin('guard', running({ url: server.url }), { env: {}, store });
  const sources = { guard: trustingSource(listingOf('ping', 'guarded')) };
  const { peer } = await openDesk({ guard: spec }, { sources });
  const context = await (await sharedBrowser()).newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  // The pages of the provider name a font of another machine.
  await page.route(/^https:/, (route) => route.abort());

  /** Begins a login. @returns its end, when the browser shows the first page */
  async function begin() {
    const { promise: shown, resolve: show } = Promise.withResolvers<URL>();
    const pasted = new Promise<string>(() => undefined);
    const login = logIn({ id: 'guard', server: server.url, client, store, pasted, show });
    login.catch(() => undefined);
    await page.goto((await Promise.race([shown, login.then(() => shown)])).href);
    return { login };
  }
  const press = (name: string) => page.getByRole('button', { name }).click();
  return {
    server,
    store,
    page,
    begin,
    press,
    call: (tool = 'ping') => callOf(peer, `guard_${tool}`),
    async signIn() {
      await page.getByPlaceholder('Enter any login').fill('ada');
      await page.getByPlaceholder('and password').fill('secret');
      await press('Sign-in');
    },
    says: (text: string) => page.getByText(text).waitFor(),
  };
}

describe.skipIf(!hasChromium).each(CONFIGURATIONS)(
  'a person with a browser, at an authorization server that %s,',
  (_, client) => {
    test('logs in and allows it, and later allows a further scope', async () => {
      const { server, store, begin, signIn, press, says, call } = await openScene(client);
      expect(jsonOf(await call())).toMatchObject({ code: 'LOGIN_NEEDED' });
      const { login } = await begin();
      await signIn();
      await press('Continue');
      await says('You are logged in to guard. You can close this page.');
      const { tokens } = await login;
      expect(await call()).toMatchObject({ content: [{ text: 'pong' }] });
      // A refresh needs no person.
      const stored = await store.find('guard', server.url);
      if (stored === undefined || tokens === undefined) throw new Error('no login');
      await store.save('guard', {
        ...stored,
        tokens: { ...tokens, access: 'old', expires: new Date(0).toISOString() },
      });
      expect(await call()).toMatchObject({ content: [{ text: 'pong' }] });
      expect(server.grants).toStrictEqual(['authorization_code', 'refresh_token']);
      expect(jsonOf(await call('guarded'))).toMatchObject({ code: 'LOGIN_NEEDED' });
      // The browser knows the person.
      const further = await begin();
      await press('Continue');
      await says('You are logged in to guard. You can close this page.');
      await further.login;
      expect(await call('guarded')).toMatchObject({ content: [{ text: 'guarded answer' }] });
    });

    test('cancels the login, and reads that it has failed', async () => {
      const { page, begin, signIn, says, call } = await openScene(client);
      const { login } = await begin();
      await signIn();
      await page.getByRole('link', { name: 'Cancel' }).click();
      await says('The login to guard has failed: the answer is access_denied.');
      await expect(login).rejects.toThrow('The login to guard has failed: the answer is access_denied.');
      expect(jsonOf(await call())).toMatchObject({ code: 'LOGIN_NEEDED' });
    });
  },
);
