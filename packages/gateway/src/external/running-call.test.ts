import type { RequestContext } from '@deskside/core';
import { expect, test } from 'vitest';
import { manualTimer } from '../testing/fake.ts';
import { Forwarder } from './forwarder.ts';
import { RunningCall } from './running-call.ts';
import type { Supervisor } from './supervisor.ts';

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
    caller: { key: 'ada' },
    signal: new AbortController().signal,
    meta: {},
    input: { state: () => undefined },
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

/** How many of these log messages are sent to it. */
function logged(count: number, data: unknown): number {
  const { sent, ctx } = mutedCaller();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that never answers
  const supervisor = { use: () => new Promise(() => undefined) } as unknown as Supervisor;
  const forwarder = new Forwarder({
    named: { id: 'x', title: 'x', redact: (text) => text },
    supervisor,
    callMs: 1000,
    startTimer,
    roots: undefined,
    failureOf: (error) => error,
  });
  void forwarder.forward({ method: 'tools/call', params: {} }, ctx);
  for (let index = 0; index < count; index += 1) forwarder.onMessage({ level: 'info', data });
  return sent.length;
}

test('a caller that does not read loses log messages above 1,000, or 4 million characters', () => {
  expect(logged(5000, 'a')).toBe(1000);
  expect(logged(5000, undefined)).toBe(1000);
  expect(logged(100, 'x'.repeat(1_000_000))).toBeLessThanOrEqual(5);
  expect(logged(100, { texts: ['x'.repeat(1_000_000)] })).toBeLessThanOrEqual(5);
});
