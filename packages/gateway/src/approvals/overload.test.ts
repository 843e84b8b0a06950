import { setImmediate } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import type { Principal, RequestContext } from '@deskside/core';
import { testContext } from '@deskside/core/testing';
import { expect, test, vi } from 'vitest';
import { manualTimer } from '../testing/fake.ts';
import { callsOf, payingMount, scriptedPerson } from '../testing/scripted-person.ts';

const INTERVAL_MS = 100;
const TEXT = 'x'.repeat(20_000);
/** Of the twenty calls that a window shows. */
const names = (from: number) => Array.from({ length: 20 }, (_, index) => String(from + index));

/** Calls of one conversation that wait for the person, and how often the window was changed. */
async function waiting(count: number) {
  const timer = manualTimer();
  const { approvals, inbox, open } = scriptedPerson({ startTimer: timer.startTimer });
  const { mount } = payingMount();
  const update = vi.spyOn(inbox, 'update');
  const callers = Array.from({ length: count }, () => new AbortController());
  const call = async (index: number) => {
    const ctx = testContext({ signal: callers[index]?.signal ?? AbortSignal.abort() });
    const args = { amount: index, text: TEXT };
    return approvals.call({ mount, tool: 'pay', args, ctx }, async () => undefined).catch(() => undefined);
  };
  const calls = callers.map((_, index) => call(index));
  await expect.poll(() => open).toHaveLength(1);
  const shown = () => open.flatMap((asked) => callsOf(asked)).map((each) => each.arguments[0]?.value);
  return { timer, update, callers, calls, shown, approvals, mount };
}

test('the window changes at most once per 100 ms, shows what waits then, and is not changed without a difference', async () => {
  const { timer, update, callers, shown } = await waiting(30);
  await setImmediate();
  timer.ring(INTERVAL_MS);
  await setImmediate();
  expect(shown()).toStrictEqual(names(0));
  const before = update.mock.calls.length;
  expect(before).toBeLessThanOrEqual(2);
  // It was not shown.
  callers[29]?.abort();
  await setImmediate();
  timer.ring(INTERVAL_MS);
  await setImmediate();
  expect(update.mock.calls.length).toBe(before);
  for (const index of [0, 1, 2, 3, 4]) {
    callers[index]?.abort();
    await setImmediate();
  }
  timer.ring(INTERVAL_MS);
  await setImmediate();
  expect(shown()).toStrictEqual(names(5));
  expect(update.mock.calls.length).toBeLessThanOrEqual(before + 2);
});

test('of one connection 500 calls wait at most; further ones end at once, and those of others wait', async () => {
  const { calls, callers, approvals, mount } = await waiting(501);
  expect(JSON.stringify(await calls[500])).toContain('pay did not run. Too many calls wait for the person.');
  const other = testContext({ caller: { connection: 'other' } });
  const answers: unknown[] = [];
  const call = (ctx: RequestContext) =>
    approvals
      .call({ mount, tool: 'pay', args: { amount: 1 }, ctx }, async () => undefined)
      .then((result) => answers.push(result));
  void call(other);
  await setImmediate();
  expect(answers).toStrictEqual([]);
  callers[0]?.abort();
  await setImmediate();
  void call(testContext());
  await setImmediate();
  expect(answers).toStrictEqual([]);
});

test('calls of two principals or tokens share no window, and no yes for the session', async () => {
  const { approvals, open } = scriptedPerson();
  const { mount } = payingMount();
  const call = (principal: Principal) => {
    const ctx = testContext({ principal, caller: { connection: 'shared', session: 'shared' } });
    return approvals.call({ mount, tool: 'pay', args: { amount: 1 }, ctx }, async () => undefined);
  };
  const allowed = call({ user: 'one', token: 'a' });
  await expect.poll(() => open).toHaveLength(1);
  open[0]?.answer({ kind: 'allowed', scope: 'session' });
  await allowed;
  await call({ user: 'one', token: 'a' });
  for (const other of [{ user: 'one', token: 'b' }, { user: 'one' }, { user: 'two', token: 'a' }])
    void call(other);
  await expect.poll(() => open).toHaveLength(3);
});

/** Each question has one. */
const controllers = () => queryObjects(AbortController, { format: 'count' });

test('of calls in ever new conversations that are canceled nothing stays', async () => {
  const timer = manualTimer();
  const { approvals, open } = scriptedPerson({ startTimer: timer.startTimer });
  const { mount } = payingMount();
  const cancelled = async (session: string) => {
    const client = new AbortController();
    const ctx = testContext({ signal: client.signal, caller: { connection: 'one', session } });
    const call = approvals.call({ mount, tool: 'pay', args: { amount: 1 }, ctx }, async () => undefined);
    while (open.length === 0) await setImmediate();
    client.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    await setImmediate();
    timer.ring(INTERVAL_MS);
  };
  await cancelled('first');
  const before = controllers();
  for (let index = 0; index < 20; index += 1) await cancelled(`session ${index}`);
  expect(controllers() - before).toBeLessThan(10);
});
