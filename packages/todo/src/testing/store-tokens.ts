import { TokenStore } from '@deskside/core/base';
import { describe, expect, test } from 'vitest';
import type { OpenStore } from './store-under-test.ts';

const CREATED = '2025-12-20T10:30:00.999Z';

async function openTokens(open: OpenStore) {
  const { store } = await open();
  const clock = { now: () => new Date(CREATED) };
  return { store, tokens: new TokenStore(store.tokens, 'deskside-todo token', clock) };
}

/** The tokens of every TaskStore. */
export function describeTokens(open: OpenStore): void {
  describe('tokens', () => {
    test('a rotated token has another digest, a revoked one is gone, and a use is noted', async () => {
      const { store, tokens } = await openTokens(open);
      await tokens.create({ name: 'phone', user: 'anna' });
      await tokens.create({ name: 'laptop', user: 'anna' });
      const [laptop, phone] = await tokens.list();
      await store.tokens.noteUse?.(phone?.sha256 ?? '');
      expect(await tokens.list()).toStrictEqual([laptop, { ...phone, used: expect.stringMatching(/Z$/) }]);
      await tokens.rotate('phone');
      const [, rotated] = await tokens.list();
      expect(rotated).toMatchObject({ name: 'phone', user: 'anna' });
      expect(rotated?.sha256).not.toBe(phone?.sha256);
      await tokens.revoke('phone');
      expect(await tokens.list()).toStrictEqual([laptop]);
    });

    test('ten tokens that are created at once are all stored', async () => {
      const { tokens } = await openTokens(open);
      const names = Array.from({ length: 10 }, (_, index) => `t${index}`);
      await Promise.all(names.map((name) => tokens.create({ name, user: 'anna' })));
      expect((await tokens.list()).map(({ name }) => name)).toStrictEqual(names);
    });
  });
}
