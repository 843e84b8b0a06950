import { testContext } from '@deskside/core/testing';
import { connectInProcess, firstText, LEGS } from '@deskside/testkit';
import type { PopupOutcome } from '@deskside/desktop';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createAggregator } from '../aggregator.ts';
import { payingMount, scriptedPerson } from '../testing/scripted-person.ts';

type Leg = (typeof LEGS)[number];

async function openShop(leg: Leg = LEGS[0], path = '/mcp') {
  const shop = payingMount();
  const person = scriptedPerson();
  const { routes } = await createAggregator({ mounts: [shop.mount], approvals: person.approvals });
  const definition = routes.get(path);
  if (definition === undefined) throw new Error('no such route');
  const peer = await connectInProcess(definition, leg);
  onTestFinished(() => peer[Symbol.asyncDispose]());
  const call = (name: string, amount = 1) => peer.callTool(name, { amount });
  const question = async (count = 1) => {
    await expect.poll(() => person.open.length).toBe(count);
    const asked = person.open.at(-1);
    if (asked === undefined) throw new Error('nothing is asked');
    return asked;
  };
  return { ...shop, ...person, peer, call, question };
}

const YES: PopupOutcome = { kind: 'allowed', scope: 'once' };

describe.each(LEGS)('in the $era era over $over', (leg) => {
  test('a tool that reads runs at once, and one that destroys waits for its yes', async () => {
    const { call, open, question, ran } = await openShop(leg);
    await call('shop_read');
    expect(open).toHaveLength(0);
    const paying = call('shop_pay', 7);
    const asked = await question();
    expect(ran).toStrictEqual(['read 1']);
    expect(asked.request).toMatchObject({
      kind: 'approval',
      message: expect.stringMatching(/^\S.* wants to pay$/),
      timeout: 120,
      approval: {
        claim: 'shop › pay. Destroys data, according to the server.',
        destroys: true,
        arguments: [{ name: 'amount', value: '7' }],
        isExact: true,
      },
    });
    asked.answer(YES);
    expect((await paying).isError ?? false).toBe(false);
    expect(ran).toStrictEqual(['read 1', 'pay 7']);
  });

  test('one mount alone asks, too, and the model reads what the person says', async () => {
    const { call, question, ran } = await openShop(leg, '/mcp/shop');
    const paying = call('pay');
    (await question()).answer({ kind: 'denied', text: 'use "staging"' });
    const result = await paying;
    expect(result.isError).toBe(true);
    expect(JSON.parse(firstText(result))).toStrictEqual({
      error: 'The person did not allow pay.',
      code: 'DENIED',
      hint: 'Do not try it another way. Ask the person what to do instead, or go on without it.',
      reason: 'use "staging"',
    });
    expect(ran).toStrictEqual([]);
  });
});

test.each<readonly [PopupOutcome, string]>([
  [{ kind: 'timeout' }, 'The person did not answer in time'],
  [{ kind: 'dismissed' }, 'The person closed the question without an answer'],
  [{ kind: 'failed', reason: 'crash' }, 'The person cannot be asked now'],
  // No answer of a question is a yes.
  [{ kind: 'submitted', text: 'allow' }, 'The person cannot be asked now'],
])('%j is no yes', async (outcome, reason) => {
  const { call, question, ran } = await openShop();
  const paying = call('shop_pay');
  (await question()).answer(outcome);
  expect(JSON.parse(firstText(await paying))).toStrictEqual({
    error: `shop_pay did not run. ${reason}.`,
    code: 'NOT_APPROVED',
    hint: 'Do not try it another way. Go on without it, or make the same call again later.',
  });
  expect(ran).toStrictEqual([]);
});

test('while the rules cannot be read, also a tool that runs asks: a rule may forbid it', async () => {
  const { call, question, ran, rules } = await openShop();
  const find = vi.spyOn(rules, 'find').mockImplementation(() => {
    throw new Error('the content is not valid');
  });
  onTestFinished(() => find.mockRestore());
  const reading = call('shop_read');
  const asked = await question();
  expect(asked.request.approval).toMatchObject({
    claim: expect.stringMatching(
      /^shop › read\. Your rules cannot be read, so each call asks: run deskside doctor\. Reads only, according/,
    ),
  });
  // It could not be remembered.
  expect(asked.request.approval?.more).not.toContain('always');
  asked.answer(YES);
  expect((await reading).isError ?? false).toBe(false);
  expect(ran).toStrictEqual(['read 1']);
});

test('always that cannot be remembered counts once, the person is told, and the next call asks again', async () => {
  const { call, question, open, ran, rules } = await openShop();
  vi.spyOn(rules, 'push').mockImplementation(() => {
    throw new Error('no space left on device');
  });
  const [first, second] = [call('shop_send'), call('shop_send')];
  const asked = await question();
  await expect.poll(() => asked.approval?.calls).toBe(2);
  asked.answer({ kind: 'allowed', scope: 'always' });
  await first;
  await expect.poll(() => open).toHaveLength(2);
  const told = open.find(({ request }) => request.isOwn);
  const message = '"Always" for shop › send counted once: it could not be stored. no space left on device';
  expect(told).toMatchObject({ request: { message }, caller: { client: { env: { DISPLAY: ':7' } } } });
  told?.answer({ kind: 'displayed' });
  (await question()).answer({ kind: 'denied', text: '' });
  expect(firstText(await second)).toContain('DENIED');
  expect(ran).toStrictEqual(['send 1']);
});

test('a denial of calls that do not wait is none', async () => {
  const { call, question, ran } = await openShop();
  const paying = call('shop_pay');
  for (const ids of [['x'], []]) {
    const asked = await question();
    asked.answer({ kind: 'denied', text: '', ids });
    await expect.poll(() => asked.isOpen).toBe(false);
  }
  (await question()).answer({ kind: 'denied', text: '' });
  expect(firstText(await paying)).toContain('DENIED');
  expect(ran).toStrictEqual([]);
  // It was the first denial.
  const again = call('shop_pay', 2);
  (await question()).answer(YES);
  await again;
  expect(ran).toStrictEqual(['pay 2']);
});

test('always counts for a destructive tool with exactly these arguments, for another with all', async () => {
  const { call, open, question, ran, change, rules } = await openShop();
  for (const name of ['shop_pay', 'shop_send']) {
    const calling = call(name, 5);
    (await question()).answer({ kind: 'allowed', scope: 'always' });
    await calling;
  }
  await call('shop_pay', 5);
  await call('shop_send', 6);
  expect(ran).toStrictEqual(['pay 5', 'send 5', 'pay 5', 'send 6']);
  expect(rules).toMatchObject([
    { tool: 'pay', user: 'owner', transport: 'stdio', arguments: expect.any(String) },
    { tool: 'send', user: 'owner', transport: 'stdio' },
  ]);
  expect(rules[1]).not.toHaveProperty('arguments');
  const paying = call('shop_pay', 6);
  (await question()).answer({ kind: 'denied', text: '' });
  await paying;
  // What was allowed is not what is accepted now.
  change();
  const changed = call('shop_send', 5);
  (await question()).answer({ kind: 'denied', text: '' });
  await changed;
  expect(open).toHaveLength(0);
  expect(ran).toHaveLength(4);
});

test('after two denials the tool is denied for the session, also what waits', async () => {
  const { call, open, question, ran } = await openShop();
  for (const amount of [1, 2]) {
    const paying = call('shop_pay', amount);
    const asked = await question();
    const first = asked.shown();
    const waiting = amount === 2 ? call('shop_pay', 3) : undefined;
    await expect.poll(() => asked.shown().length).toBe(amount);
    // It names the first call only.
    asked.answer({ kind: 'denied', text: `no ${amount}`, ids: first });
    expect(firstText(await paying)).toContain(`"reason":"no ${amount}"`);
    if (waiting !== undefined) expect(firstText(await waiting)).toContain('DENIED');
  }
  expect(firstText(await call('shop_pay', 9))).toContain('"reason":"no 2"');
  const sending = call('shop_send');
  (await question()).answer({ kind: 'denied', text: 'nor this' });
  expect(firstText(await sending)).toContain('nor this');
  expect(open).toHaveLength(0);
  expect(ran).toStrictEqual([]);
});

test.each([
  ['a caller is offered the session before what lasts', LEGS[0], ['session', 'always']],
  ['a caller without a session is not offered one', LEGS[3], ['always']],
])('%s', async (_, leg, more) => {
  const { call, question } = await openShop(leg);
  const paying = call('shop_pay');
  const asked = await question();
  expect(asked.request.approval?.more).toStrictEqual(more);
  asked.answer(YES);
  await paying;
});

test('the state of a call lets its next round run once', async () => {
  const { mount } = payingMount();
  const { approvals, open } = scriptedPerson();
  const states: string[] = [];
  const seen: unknown[] = [];
  const call = (state?: unknown) =>
    approvals.call(
      { mount, tool: 'pay', args: {}, ctx: testContext(state === undefined ? {} : { input: { state } }) },
      async ({ input }) => {
        seen.push(input.state());
        states.push(await input.seal({ upstream: 'x' }));
        return { content: [] };
      },
    );
  const first = call();
  await expect.poll(() => open.length).toBe(1);
  open[0]?.answer(YES);
  await first;
  await call(JSON.parse(states[0] ?? ''));
  expect(seen).toStrictEqual([undefined, { upstream: 'x' }]);
  // The same state again is another call.
  const again = call(JSON.parse(states[0] ?? ''));
  await expect.poll(() => open.length).toBe(1);
  open[0]?.answer({ kind: 'denied', text: '' });
  expect(JSON.stringify(await again)).toContain('DENIED');
  expect(seen).toHaveLength(2);
  // A state that was sealed without approvals is the server's own, whatever its members are called.
  const own = call({ payload: 'of the server' });
  await expect.poll(() => open.length).toBe(1);
  open[0]?.answer(YES);
  await own;
  expect(seen[2]).toStrictEqual({ payload: 'of the server' });
});
