import { setImmediate } from 'node:timers/promises';
import { type RequestContext, silentLog } from '@deskside/core';
import { expect, onTestFinished, test } from 'vitest';
import { running, trustingSource } from '../testing/external.ts';
import { listingOf, manualTimer } from '../testing/fake.ts';
import { hang, ScriptedServer } from '../testing/scripted.ts';
import { openExternal } from './external-mount.ts';
import { RunningCall } from './running-call.ts';

const { startTimer } = manualTimer();

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

function runningCall() {
  const { sent, ctx } = mutedCaller();
  const call = new RunningCall('ada', true, 1000, startTimer);
  call.result = new Promise(() => undefined);
  void call.next(ctx);
  return { sent, call };
}

test('a caller that does not read loses progress above 1,000 steps, or 4 million characters', () => {
  const steps = runningCall();
  for (let progress = 0; progress < 5000; progress += 1) steps.call.onProgress({ progress });
  expect(steps.sent).toHaveLength(1000);
  const texts = runningCall();
  const message = 'x'.repeat(1_000_000);
  for (let progress = 0; progress < 100; progress += 1) texts.call.onProgress({ progress, message });
  expect(texts.sent.length).toBeLessThanOrEqual(5);
});

test('progress that is read, or fails, makes room for more', async () => {
  const { ctx } = mutedCaller();
  let sent = 0;
  const progress = () => {
    sent += 1;
    return sent % 2 === 0 ? Promise.resolve() : Promise.reject(new Error('gone'));
  };
  const call = new RunningCall('ada', true, 1000, startTimer);
  call.result = new Promise(() => undefined);
  void call.next({ ...ctx, progress });
  const message = 'x'.repeat(10_000);
  for (let step = 0; step < 3000; step += 1) {
    call.onProgress({ progress: step, message });
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await Promise.resolve();
    await Promise.resolve();
  }
  expect(sent).toBe(3000);
});

/** How many of these log messages of a server are sent to it. */
async function logged(count: number, data: unknown): Promise<number> {
  const { sent, ctx } = mutedCaller();
  const server = new ScriptedServer('legacy', { 'tools/call': hang });
  server.capabilities = { tools: {}, logging: {} };
  const source = trustingSource(listingOf('echo'));
  const context = { source, log: silentLog, openTransport: server.openTransport };
  const { mount, close } = openExternal('x', running({ command: 'scripted' }), context);
  onTestFinished(close);
  void mount.definition.callTool('echo', {}, ctx).catch(() => undefined);
  await expect.poll(() => server.asked('tools/call')).toHaveLength(1);
  for (let index = 0; index < count; index += 1)
    server.running.say({ method: 'notifications/message', params: { level: 'info', data } });
  await setImmediate();
  return sent.length;
}

test('a caller that does not read loses log messages above 1,000, or 4 million characters', async () => {
  expect(await logged(5000, 'a')).toBe(1000);
  expect(await logged(100, 'x'.repeat(1_000_000))).toBeLessThanOrEqual(5);
  expect(await logged(100, { texts: ['x'.repeat(1_000_000)] })).toBeLessThanOrEqual(5);
});
