import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
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

test('a token is stored as a digest only, in a file that only its owner can read', async () => {
  const { file, store } = storeIn(temporaryFolder());
  const token = await store.create({ name: 'laptop', profile: 'work' });
  expect(token).toMatch(/^deskside_[\w-]{43}$/);
  const text = readFileSync(file, 'utf8');
  expect(text).not.toContain(token.slice(9));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(file, '..'))).toStrictEqual(['tokens.json']);
  expect(await store.list()).toStrictEqual([
    { name: 'laptop', profile: 'work', sha256: expect.any(String), created: '2026-11-22T10:00:00.000Z' },
  ]);
});

test.each([
  ['a b', 'Invalid token name "a b".'],
  ['', 'Invalid token name "".'],
  ['x'.repeat(33), 'Invalid token name'],
  ['laptop', 'A token "laptop" exists. Use "deskside token rotate laptop" to replace it.'],
])('a token named %j is rejected: %s', async (name, message) => {
  const { store } = storeIn(temporaryFolder());
  await store.create({ name: 'laptop' });
  await expect(async () => store.create({ name })).rejects.toThrow(message);
});

test('a token that does not exist cannot be revoked or rotated', async () => {
  const { store } = storeIn(temporaryFolder());
  await expect(store.revoke('phone')).rejects.toThrow('No token "phone" exists. Tokens: none.');
  await store.create({ name: 'laptop' });
  await expect(store.rotate('phone')).rejects.toThrow('No token "phone" exists. Tokens: laptop.');
});

test('ten tokens that are created at once are all stored', async () => {
  const folder = temporaryFolder();
  const names = Array.from({ length: 10 }, (_, index) => `t${index}`);
  await Promise.all(names.map((name) => storeIn(folder).store.create({ name })));
  const stored = (await storeIn(folder).store.list()).map(({ name }) => name);
  expect(stored.toSorted()).toStrictEqual(names.toSorted());
});

test('a token file that others can read is refused with the command that corrects it', async () => {
  const { file, store } = storeIn(temporaryFolder());
  await store.create({ name: 'laptop' });
  chmodSync(file, 0o644);
  await expect(store.list()).rejects.toThrow(`Run: chmod 600 ${file}`);
  chmodSync(file, 0o600);
  const written = readFileSync(file, 'utf8');
  for (const text of ['{"tokens":', written.replace(/"created": "/, '$&about ')]) {
    writeFileSync(file, text);
    await expect(store.list()).rejects.toThrow('cannot be used (its content is not valid)');
  }
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

test('a revoked or rotated token is rejected within a second, and a new one is accepted at once', async () => {
  const { store, clock, principalOf } = authentication(temporaryFolder());
  const first = await store.create({ name: 'laptop' });
  expect(await principalOf(first)).toMatchObject({ token: 'laptop' });
  const second = await store.rotate('laptop');
  expect(await principalOf(second)).toMatchObject({ token: 'laptop' });
  clock.ms += 1000;
  expect(await principalOf(first)).toBeUndefined();
  expect(await principalOf(second)).toMatchObject({ token: 'laptop' });
  await store.revoke('laptop');
  clock.ms += 1000;
  expect(await principalOf(second)).toBeUndefined();
});

test('requests that come together share one look, also after a change of the token file', async () => {
  const { store, clock, principalOf } = authentication(temporaryFolder());
  const first = await store.create({ name: 'laptop' });
  const together = async (token: string) => {
    const principals = await Promise.all(Array.from({ length: 8 }, () => principalOf(token)));
    return new Set(principals.map((principal) => principal?.token));
  };
  expect(await together(first)).toStrictEqual(new Set(['laptop']));
  const second = await store.rotate('laptop');
  clock.ms += 1000;
  expect(await together(second)).toStrictEqual(new Set(['laptop']));
  await store.revoke('laptop');
  clock.ms += 1000;
  expect(await together(second)).toStrictEqual(new Set([undefined]));
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
