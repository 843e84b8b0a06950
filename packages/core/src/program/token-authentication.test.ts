import { expect, test } from 'vitest';
import { TokenStore, type TokenRecord } from '../base/tokens.ts';
import { StartError, UserError } from '../errors/index.ts';
import { createLog } from '../log.ts';
import { tokenAuthentication } from './token-authentication.ts';

const HOUR_MS = 3_600_000;

/** Tokens in a place that may not answer, and that notes their uses. */
function tokens() {
  const state = {
    ms: 0,
    isAway: false,
    isTrusted: true,
    records: [] as readonly TokenRecord[],
    used: [] as string[],
  };
  const stored = {
    async read() {
      if (!state.isTrusted) throw new StartError('Run: chmod 600 tokens.json');
      if (state.isAway) throw new UserError({ error: 'Away', code: 'UNAVAILABLE', hint: 'Wait.' });
      return state.records;
    },
    async change<Answer>(
      change: (all: readonly TokenRecord[]) => { tokens: readonly TokenRecord[]; answer: Answer },
    ) {
      const { tokens: records, answer } = change(state.records);
      state.records = records;
      return answer;
    },
    async noteUse(sha256: string) {
      state.used.push(sha256);
      if (state.isAway) throw new Error('Away');
    },
  };
  const lines: string[] = [];
  const log = createLog({ level: 'debug', write: (line) => lines.push(line) });
  const source = { stored, clock: { elapsedMs: () => state.ms } };
  const authenticate = tokenAuthentication({ user: 'owner', token: 'the-main-token' }, source, log);
  const principalOf = (token: string) => authenticate(`Bearer ${token}`);
  return { state, lines, authenticate, principalOf, store: new TokenStore(stored, 'some token') };
}

test('while the tokens cannot be read, those of the last look are accepted and no others, and the next look counts', async () => {
  const { state, store, lines, principalOf } = tokens();
  const phone = await store.create({ name: 'phone', user: 'anna' });
  expect(await principalOf(phone)).toStrictEqual({ user: 'anna', token: 'phone' });
  const laptop = await store.create({ name: 'laptop' });
  state.isAway = true;
  state.ms += 1000;
  expect(await principalOf(phone)).toMatchObject({ user: 'anna' });
  expect(await principalOf(laptop)).toBeUndefined();
  expect(await principalOf('the-main-token')).toStrictEqual({ user: 'owner' });
  expect(lines.join('')).toContain('tokens not read');
  state.isAway = false;
  await store.revoke('phone');
  state.ms += 1000;
  expect(await principalOf(phone)).toBeUndefined();
  expect(await principalOf(laptop)).toStrictEqual({ user: 'owner', token: 'laptop' });
});

test('while the tokens cannot be trusted, only the main token is accepted, and the log says why', async () => {
  const { state, store, lines, authenticate, principalOf } = tokens();
  const phone = await store.create({ name: 'phone' });
  expect(await principalOf(phone)).toMatchObject({ token: 'phone' });
  for (const header of [undefined, 'Basic the-main-token', `Basic ${phone}`, 'the-main-token', 'Bearer '])
    expect(await authenticate(header)).toBeUndefined();
  state.isTrusted = false;
  state.ms += 1000;
  expect(await principalOf(phone)).toBeUndefined();
  expect(await principalOf('the-main-token')).toStrictEqual({ user: 'owner' });
  expect(lines.join('')).toContain('chmod 600');
  state.isTrusted = true;
  expect(await principalOf(phone)).toMatchObject({ token: 'phone' });
});

test('the use of a token is noted once an hour, and a failure to do so refuses nobody', async () => {
  const { state, store, principalOf } = tokens();
  const phone = await store.create({ name: 'phone' });
  const laptop = await store.create({ name: 'laptop' });
  for (const token of [phone, phone, laptop]) await principalOf(token);
  expect(state.used).toHaveLength(2);
  state.ms += HOUR_MS - 1;
  await principalOf(phone);
  expect(state.used).toHaveLength(2);
  state.ms += 1;
  state.isAway = true;
  expect(await principalOf(phone)).toMatchObject({ token: 'phone' });
  expect(state.used).toHaveLength(3);
});
