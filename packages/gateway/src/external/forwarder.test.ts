import { setImmediate } from 'node:timers/promises';
import { type RequestContext, silentLog } from '@deskside/core';
import { expect, onTestFinished, test } from 'vitest';
import { running, trustingSource } from '../testing/external.ts';
import { listingOf } from '../testing/fake.ts';
import { hang, ScriptedServer } from '../testing/scripted.ts';
import { openExternal } from './external-mount.ts';

/** A caller that never reads, and what is sent to it. */
function mutedCaller() {
  const sent: unknown[] = [];
  const send = (...parts: readonly unknown[]) => {
    sent.push(parts);
    return new Promise<void>(() => undefined);
  };
  const ctx = {
    era: 'legacy',
    principal: { user: 'ada' },
    caller: { key: 'ada' },
    signal: new AbortController().signal,
    meta: {},
    input: { state: () => undefined, capabilities: {} },
    progress: send,
    message: send,
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a call uses of it
  return { sent, ctx: ctx as unknown as RequestContext };
}

/** How many of these messages of a server, of this method, are sent to the caller of a call that runs. */
async function sentOf(
  messages: readonly (readonly [method: string, params: Readonly<Record<string, unknown>>])[],
  { sent, ctx } = mutedCaller(),
): Promise<number> {
  const server = new ScriptedServer('legacy', { 'tools/call': hang });
  server.capabilities = { tools: {}, logging: {} };
  const source = trustingSource(listingOf('echo'));
  const context = { source, log: silentLog, openTransport: server.openTransport };
  const { mount, close } = openExternal('x', running({ command: 'scripted' }), context);
  onTestFinished(close);
  void mount.definition.callTool('echo', {}, ctx).catch(() => undefined);
  await expect.poll(() => server.asked('tools/call')).toHaveLength(1);
  const { progressToken } = Object(server.asked('tools/call')[0]?.['_meta']);
  for (const [method, params] of messages) {
    server.running.say({ method: `notifications/${method}`, params: { progressToken, ...params } });
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await setImmediate();
  }
  return sent.length;
}

const LONG = 'x'.repeat(1_000_000);

test.each([
  ['progress', { progress: 1 }, { progress: 1, message: LONG }],
  ['message', { level: 'info', data: 'a' }, { level: 'info', data: { texts: [LONG] } }],
])(
  'a caller that does not read loses %s above 1,000, or 4 million characters',
  async (method, short, long) => {
    expect(await sentOf(Array.from({ length: 1200 }, () => [method, short] as const))).toBe(1000);
    expect(await sentOf(Array.from({ length: 20 }, () => [method, long] as const))).toBeLessThanOrEqual(5);
  },
);

test('progress that is read, or fails, makes room for more', async () => {
  const { sent, ctx } = mutedCaller();
  const progress = () => {
    sent.push(sent.length);
    return sent.length % 2 === 0 ? Promise.resolve() : Promise.reject(new Error('gone'));
  };
  const steps = Array.from({ length: 1200 }, (_, step) => ['progress', { progress: step }] as const);
  expect(await sentOf(steps, { sent, ctx: { ...ctx, progress } })).toBe(1200);
});
