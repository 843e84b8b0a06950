import { createAggregator } from '@deskside/gateway';
import { scriptedServer } from '@deskside/gateway/testing/authorization-server';
import { offeredLogin } from '@deskside/gateway/testing/offered-login';
import { payingMount, scriptedPerson } from '@deskside/gateway/testing/scripted-person';
import { testContext } from '@deskside/core/testing';
import { silentLog } from '@deskside/core';
import type { Approval, PopupOutcome } from '@deskside/desktop';
import { expect, vi } from 'vitest';
import { openDesk } from '../../open-desk.ts';
import { openPhone } from '../open-phone.ts';
import { userHome } from '../user-home.ts';
import type { Trial } from './table.ts';

/** The display of the person in scripts of the gateway. */
const PERSONS = ':7';
/** What an agent that has another display says of itself. */
const AGENT = { process: { pid: 1, workingDirectory: undefined, env: { DISPLAY: ':9' } } } as const;

const NO_DECISION: readonly PopupOutcome['kind'][] = ['timeout', 'dismissed', 'failed', 'no-display'];
const endingOf = (kind: PopupOutcome['kind']) => ({ kind, tried: [], reason: '' }) as unknown as PopupOutcome;

/** A call that asks, of an agent with another display. */
async function paying(isReachable = true) {
  const shop = payingMount();
  const person = scriptedPerson({ isReachable });
  const { definition } = await createAggregator({ mounts: [shop.mount], approvals: person.approvals });
  const call = () => definition.callTool('shop_pay', { amount: 1 }, testContext({ caller: AGENT }));
  const asked = async () => {
    await expect.poll(() => person.open.length).toBe(1);
    const [only] = person.open;
    if (only === undefined) throw new Error('nothing is asked');
    return only;
  };
  return { ...shop, call, asked };
}

/** Where a call is asked, and what is no yes. */
export const ofCalls = {
  async 'the person is asked'() {
    const { call, asked, ran } = await paying();
    const calling = call();
    const question = await asked();
    const isWaiting = ran.length === 0;
    question.answer({ kind: 'denied', text: '' });
    await calling;
    return isWaiting && ran.length === 0;
  },
  async 'on the display of the person'() {
    const { call, asked } = await paying();
    const calling = call();
    const { caller, answer } = await asked();
    answer({ kind: 'denied', text: '' });
    await calling;
    return caller.client?.env['DISPLAY'] === PERSONS;
  },
  async 'fails closed'() {
    for (const kind of NO_DECISION) {
      const { call, asked, ran } = await paying();
      const calling = call();
      (await asked()).answer(endingOf(kind));
      await calling;
      if (ran.length > 0) return false;
    }
    return true;
  },
} satisfies Record<string, Trial>;

async function offered() {
  const { url } = await scriptedServer({});
  const scene = await offeredLogin({ url });
  scene.offer.offer('guard needs a login.', testContext({ caller: AGENT }));
  return { ...scene, question: await scene.asked() };
}

export const ofLogins = {
  async 'the person is asked'() {
    const { opened, question } = await offered();
    const isWaiting = opened.length === 0;
    question.answer({ kind: 'denied', text: '' });
    return isWaiting;
  },
  async 'on the display of the person'() {
    const { question } = await offered();
    question.answer({ kind: 'denied', text: '' });
    return question.caller.client?.env['DISPLAY'] === PERSONS;
  },
  async 'fails closed'() {
    for (const kind of NO_DECISION) {
      const { opened, question, open } = await offered();
      question.answer(endingOf(kind));
      await vi.waitUntil(() => open.length === 0, { timeout: 20_000 });
      if (opened.length > 0) return false;
    }
    return true;
  },
} satisfies Record<string, Trial>;

/** Without a window: whatever else the process has. */
export async function callWithoutWindow(): Promise<boolean> {
  const { call, ran } = await paying(false);
  const result = await call();
  return ran.length === 0 && result?.isError === true;
}

export async function loginWithoutWindow(): Promise<boolean> {
  const { opened, question, call } = await offered();
  question.answer(endingOf('no-display'));
  await call();
  return opened.length === 0;
}

/** A form of the client, which is the agent's. */
export async function callInForm(): Promise<boolean> {
  const { call, asked } = await paying();
  const calling = call();
  const { caller, answer } = await asked();
  answer({ kind: 'denied', text: '' });
  await calling;
  return caller.form === undefined;
}

export async function loginInForm(): Promise<boolean> {
  const { question } = await offered();
  question.answer({ kind: 'denied', text: '' });
  return question.caller.form === undefined;
}

/** No tool of the desk accepts, allows or changes a token. */
export async function toolsOfDesk(): Promise<boolean> {
  userHome();
  await using desk = await openDesk({}, { env: { DISPLAY: '' }, log: silentLog });
  const tools = await desk.aggregator.definition.listTools(testContext());
  return (
    tools.length > 0 &&
    tools.every(({ name }) => !/accept|allow|apply|approv|deny|login|rule|token/.test(name))
  );
}

/** The phone shows what waits. Each of its buttons is pressed, and a reply that was never offered is sent. */
export const onPhone = (approval: Approval) => async (): Promise<boolean> => {
  const { ntfy, ask, waitForMessages } = await openPhone();
  const outcome = ask({ kind: 'approval', message: 'Allow it?', approval });
  await waitForMessages(1);
  const labels = ntfy.published[0]?.actions?.map(({ label }) => label) ?? [];
  await expect.poll(() => ntfy.listeners).toHaveLength(labels.length === 0 ? 0 : 1);
  const [topic] = ntfy.listeners;
  if (topic !== undefined) await fetch(`${ntfy.url}/${topic}`, { method: 'POST', body: 'allow' });
  for (const label of labels) await ntfy.press(label);
  if (labels.length === 0) return true;
  return (await outcome).kind !== 'allowed';
};
