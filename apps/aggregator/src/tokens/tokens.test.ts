import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLog } from '@deskside/core';
import { TokenStore } from '@deskside/core/base';
import { tokenAuthentication } from '@deskside/core/program';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { limitsOf, tokensIn } from './tokens.ts';

function storeIn(folder: string) {
  const file = join(folder, 'data/tokens.json');
  const clock = { now: () => new Date('2026-11-22T10:00:00Z') };
  return { file, store: new TokenStore(tokensIn(file), 'deskside token', clock) };
}

test('four tokens that are created at once are all stored', async () => {
  const folder = temporaryFolder();
  const names = Array.from({ length: 4 }, (_, index) => `t${index}`);
  await Promise.all(names.map((name) => storeIn(folder).store.create({ name })));
  const stored = (await storeIn(folder).store.list()).map(({ name }) => name);
  expect(stored.toSorted()).toStrictEqual(names.toSorted());
});

test('a token file whose times are no dates is not used', async () => {
  const { file, store } = storeIn(temporaryFolder());
  await store.create({ name: 'laptop' });
  writeFileSync(file, readFileSync(file, 'utf8').replace(/"created": "/, '$&about '));
  await expect(store.list()).rejects.toThrow('cannot be used (its content is not valid)');
});

const OWNER = { user: 'owner', token: 'the-main-token-of-the-owner' };

function authentication(folder: string) {
  const clock = { ms: 0 };
  const lines: string[] = [];
  const log = createLog({ level: 'info', write: (line) => lines.push(line) });
  const { store, file } = storeIn(folder);
  const source = { stored: store.stored, limitsOf, clock: { elapsedMs: () => clock.ms } };
  const authenticate = tokenAuthentication(OWNER, source, log);
  const principalOf = (token: string) => authenticate(`Bearer ${token}`);
  return { store, file, clock, lines, authenticate, principalOf };
}

test('each token has its user, name and profile', async () => {
  const { store, principalOf, authenticate } = authentication(temporaryFolder());
  const laptop = await store.create({ name: 'laptop' });
  const guest = await store.create({ name: 'guest', user: 'bob', profile: 'work' });
  expect(await principalOf(OWNER.token)).toStrictEqual({ user: 'owner' });
  expect(await principalOf(laptop)).toStrictEqual({ user: 'owner', token: 'laptop' });
  expect(await principalOf(guest)).toStrictEqual({ user: 'bob', token: 'guest', profile: 'work' });
  expect(await principalOf('another-token-of-nobody')).toBeUndefined();
  expect(await authenticate(undefined)).toBeUndefined();
  for (const header of [`Basic ${OWNER.token}`, 'Bearer undefined', 'Bearer', 'Bearer '])
    expect(await authenticate(header)).toBeUndefined();
});

test('requests that come together share one look; a revoked or rotated token is rejected within a second, a new one accepted at once', async () => {
  const { store, clock, principalOf } = authentication(temporaryFolder());
  const together = async (token: string) => {
    const principals = await Promise.all(Array.from({ length: 8 }, () => principalOf(token)));
    return [...new Set(principals.map((principal) => principal?.token))];
  };
  const first = await store.create({ name: 'laptop' });
  expect(await together(first)).toStrictEqual(['laptop']);
  const second = await store.rotate('laptop');
  expect(await together(second)).toStrictEqual(['laptop']);
  clock.ms += 1000;
  expect([await together(first), await together(second)]).toStrictEqual([[undefined], ['laptop']]);
  await store.revoke('laptop');
  clock.ms += 1000;
  expect(await together(second)).toStrictEqual([undefined]);
});

test('while the token file cannot be trusted only the main token is accepted, and the log says why', async () => {
  const { store, file, clock, lines, principalOf } = authentication(temporaryFolder());
  const laptop = await store.create({ name: 'laptop' });
  expect(await principalOf(laptop)).toMatchObject({ token: 'laptop' });
  chmodSync(file, 0o666);
  clock.ms += 1000;
  expect(await principalOf(laptop)).toBeUndefined();
  expect(await principalOf(OWNER.token)).toStrictEqual({ user: 'owner' });
  expect(lines.join('')).toContain('chmod 600');
  chmodSync(file, 0o600);
  clock.ms += 1000;
  expect(await principalOf(laptop)).toMatchObject({ token: 'laptop' });
});
