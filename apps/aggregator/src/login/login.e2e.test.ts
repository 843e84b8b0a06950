import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { browse, loginServer } from '@deskside/gateway/testing/login-server';
import { logIn, LoginStore } from '@deskside/gateway/servers';

const PROGRAM = join(import.meta.dirname, '../../../../packages/gateway/src/testing/login-process.ts');
const CALLS = 20;

test('twenty calls at expiry in each of two processes make one refresh, and none fails', async () => {
  const { url, grants } = await loginServer();
  const folder = join(temporaryFolder(), 'logins');
  const store = new LoginStore(folder);
  const login = await logIn({
    id: 'guard',
    server: url,
    store,
    pasted: new Promise(() => undefined),
    signal: new AbortController().signal,
    show: ({ href }) => void browse(href),
  });
  const programs = [1, 2].map(() => {
    const child = spawn(process.execPath, [PROGRAM, url, folder, String(CALLS)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
  });
  // Both have a connection, with a token that is valid.
  for (const { lines } of programs) expect(await lines.next()).toMatchObject({ value: 'ready' });
  if (login.tokens === undefined) throw new Error('no tokens');
  const expired = { ...login.tokens, access: 'old', expires: new Date(0).toISOString() };
  await store.save('guard', { ...login, tokens: expired });
  for (const { child } of programs) child.stdin.end('go\n');
  const answers: (readonly { readonly text: string }[])[] = [];
  for (const { lines } of programs) answers.push(...JSON.parse(String((await lines.next()).value)));
  expect(answers.map(([block]) => block?.text)).toStrictEqual(
    Array.from({ length: 2 * CALLS }, () => 'pong'),
  );
  expect(grants).toStrictEqual(['authorization_code', 'refresh_token']);
});
