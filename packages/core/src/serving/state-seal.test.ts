import type { ServerContext } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { payloadFor, stateSeal } from './state-seal.ts';

/** The seal reads nothing else of a context. */
function contextOf(method: string): ServerContext {
  return { mcpReq: { method } } as unknown as ServerContext;
}

const anna = { user: 'anna' };
const call = contextOf('tools/call');

test('what was sealed comes back to the same caller, method and subject', async () => {
  const seals = stateSeal();
  const sealed = await seals.seal({ step: 2 }, anna, 'wipe', call);
  expect(payloadFor('wipe', await seals.open(sealed, anna, call))).toStrictEqual({ step: 2 });
  expect(payloadFor('wipe', undefined)).toBeUndefined();
});

test('to anybody and anything else it is refused', async () => {
  const seals = stateSeal();
  const sealed = await seals.seal('confirmed', anna, 'wipe', call);
  await expect(seals.open(sealed, { user: 'ben' }, call)).rejects.toThrow('sealed for another call');
  await expect(seals.open(sealed, anna, contextOf('prompts/get'))).rejects.toThrow('sealed for another call');
  await expect(stateSeal().open(sealed, anna, call)).rejects.toThrow('mac');
  await expect(seals.open(`${sealed}x`, anna, call)).rejects.toThrow(/mac|malformed/);
  const state = await seals.open(sealed, anna, call);
  expect(() => payloadFor('tidy', state)).toThrow('it belongs to another call');
});
