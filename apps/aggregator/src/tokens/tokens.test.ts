import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLog } from '@deskside/core';
import { tokenAuthentication } from '@deskside/core/program';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { tokenStore } from './tokens.ts';

test('four tokens that are created at once are all stored', async () => {
  const file = join(temporaryFolder(), 'data/tokens.json');
  const names = Array.from({ length: 4 }, (_, index) => `t${index}`);
  const storeOf = () => tokenStore(file);
  await Promise.all(names.map((name) => storeOf().create({ name })));
  expect((await storeOf().list()).map(({ name }) => name).toSorted()).toStrictEqual(names);
});

test('a revoked or rotated token is rejected within a second, and a new one is accepted at once', async () => {
  const store = tokenStore(join(temporaryFolder(), 'data/tokens.json'));
  const clock = { ms: 0 };
  const source = { stored: store.stored, clock: { elapsedMs: () => clock.ms } };
  const authenticate = tokenAuthentication({ user: 'owner', token: 'the-main-token' }, source, silentLog);
  /** Of requests that come together. */
  const together = async (token: string) => {
    const principals = await Promise.all(Array.from({ length: 8 }, () => authenticate(`Bearer ${token}`)));
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

test('a token file whose times are no dates is not used', async () => {
  const file = join(temporaryFolder(), 'tokens.json');
  const store = tokenStore(file);
  await store.create({ name: 'laptop' });
  writeFileSync(file, readFileSync(file, 'utf8').replace(/"created": "/, '$&about '));
  await expect(store.list()).rejects.toThrow('cannot be used (its content is not valid)');
});
