import { expect, test } from 'vitest';
import { fixedClock } from '../../testkit/environment.ts';
import { sealWith } from './seal.ts';
import { stateSeal } from './state-seal.ts';

const SECRET = 'a secret of this test';
const owner = {
  user: 'anna',
  method: 'tools/call',
  subject: 'book',
  args: { table: 4, when: { day: 1, hour: 2 } },
};
const seal = stateSeal(sealWith(SECRET, 'request state'));
/** By another process with the same secret. */
const sealed = () => stateSeal(sealWith(SECRET, 'request state')).seal({ step: 2 }, owner);

test('a sealed state opens if the client sends the same arguments with their keys in another order', () => {
  const reordered = { ...owner, args: { when: { hour: 2, day: 1 }, table: 4 } };
  expect(seal.payloadFor(reordered, seal.open(sealed()))).toStrictEqual({ step: 2 });
});

test.each(['x', '', undefined, {}])(
  '%j, which the SDK has not verified, is rejected as a state',
  (opened) => {
    expect(() => seal.payloadFor(owner, opened)).toThrow('belongs to another call');
  },
);

test.each([
  ['user', { user: 'ben' }],
  ['method', { method: 'prompts/get' }],
  ['name', { subject: 'cancel' }],
  ['argument', { args: { ...owner.args, table: 5 } }],
  ['nested argument', { args: { ...owner.args, when: { day: 1, hour: 3 } } }],
  ['set of arguments', { args: undefined }],
])('a sealed state is rejected for another %s', (_, change) => {
  expect(() => seal.payloadFor({ ...owner, ...change }, seal.open(sealed()))).toThrow(
    'belongs to another call',
  );
});

test('a sealed state is rejected with another secret, for another purpose, and if it was changed', () => {
  const text = sealed();
  const changed = `${text.slice(0, -1)}${text.endsWith('A') ? 'B' : 'A'}`;
  const other = stateSeal(sealWith('another secret', 'request state'));
  const purpose = stateSeal(sealWith(SECRET, 'session id'));
  for (const [opener, state] of [
    [other, text],
    [purpose, text],
    [seal, changed],
    [seal, ''],
    [seal, 'x'],
  ] as const) {
    expect(() => opener.open(state)).toThrow('sealed with another secret');
  }
});

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

test('a sealed state is rejected with any other last character, also one that decodes to the same bytes', () => {
  const plain = sealWith(SECRET, 'request state');
  for (const value of ['a', 'ab', 'abc']) {
    const text = plain.seal(value);
    const accepted = BASE64URL.split('').filter((last) => plain.open(text.slice(0, -1) + last) !== undefined);
    expect(accepted).toStrictEqual([text.at(-1)]);
  }
});

test('a sealed state expires after ten minutes', () => {
  const clock = fixedClock('2026-11-21T09:30:00Z');
  const timed = stateSeal(sealWith(SECRET, 'request state'), clock);
  const text = timed.seal('confirmed', owner);
  clock.advance(10 * 60_000);
  expect(timed.open(text)).toMatchObject({ payload: 'confirmed' });
  clock.advance(1);
  expect(() => timed.open(text)).toThrow('expired');
});

test('a process without a secret opens its own states only', () => {
  const [own, other] = [sealWith(undefined, 'request state'), sealWith(undefined, 'request state')];
  const text = own.seal(1);
  expect(own.open(text)).toBe(1);
  expect(other.open(text)).toBeUndefined();
});
