import { itemOf, type InboxRequest } from '@deskside/desktop';
import { testContext } from '@deskside/core/testing';
import { fixedClock } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { inboxRequest } from '../testing/samples.ts';
import { scriptedPopup } from '../testing/scripted-popup.ts';
import { askWithForm } from './elicitation.ts';

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined };

/** A client of the modern era without a display, in one process after the other. */
function open() {
  const clock = fixedClock('2026-03-01T10:00:00Z');
  const start = () => scriptedPopup({ clock, obstacle: { kind: 'no-display', tried: [] } });
  let popup = start();
  let state: unknown;
  let calls = 0;
  const call = async (response?: object, changes: Partial<InboxRequest> = {}) => {
    calls += 1;
    const responses = response && { reply: response };
    const ctx = testContext({ correlationId: `call-${calls}`, input: { responses, state } });
    const stop = new AbortController();
    const caller = { item: itemOf('question', ctx), session: 'one', signal: stop.signal, log };
    const answer = await askWithForm(inboxRequest(changes), caller, popup, ctx.input);
    [state] = ctx.sent.sealed;
    // The request is over.
    stop.abort();
    return answer;
  };
  return {
    clock,
    call,
    open: () => {
      const ids: string[] = [];
      popup.inbox.subscribe((change) => change.kind === 'open' && ids.push(change.item.id))();
      return ids;
    },
    answer: (text: string) => popup.inbox.answer('call-1', { kind: 'submitted', text }, 'page'),
    drafts: () => popup.drafts.list(),
    restart: () => void (popup = start()),
  };
}

const accepted = { action: 'accept', content: { reply: 'blue' } };

test.each([
  [accepted, 9999, 0, { kind: 'submitted', text: 'blue' }],
  [accepted, 10_001, 0, { kind: 'timeout' }],
  // The process that sent the form had another date.
  [accepted, 9999, -3_600_000, { kind: 'submitted', text: 'blue' }],
  [{ action: 'decline' }, 2000, 0, { kind: 'cancelled' }],
  [{ action: 'decline' }, 500, 0, { kind: 'no-display', tried: [expect.stringContaining('by itself')] }],
])(
  'another process continues the call: %j after %d ms, with a date that jumps by %d ms, is %j',
  async (response, ms, jumpMs, outcome) => {
    const client = open();
    await client.call();
    client.restart();
    client.clock.advance(ms);
    client.clock.jump(jumpMs);
    expect(await client.call(response, { timeout: 10 })).toStrictEqual(outcome);
    // What comes too late is not lost.
    const late = outcome.kind === 'timeout' ? [{ text: 'blue', question: 'Which one?' }] : [];
    expect(await client.drafts()).toMatchObject(late);
    expect(client.open()).toStrictEqual([]);
  },
);

test('a question stays open while the client shows its form; an answer on the page wins, and the text of the form is a draft', async () => {
  const client = open();
  expect(await client.call()).toMatchObject({ kind: 'form' });
  expect(client.open()).toStrictEqual(['call-1']);
  expect(client.answer('red')).toBe(true);
  expect(await client.call(accepted)).toStrictEqual({ kind: 'submitted', text: 'red' });
  expect(await client.drafts()).toMatchObject([{ id: 'call-1', text: 'blue' }]);
});

test('a question whose client never calls again ends after ten minutes', async () => {
  const client = open();
  await client.call();
  await client.clock.advanceAsync(599_999);
  expect(client.open()).toStrictEqual(['call-1']);
  await client.clock.advanceAsync(1);
  expect(client.open()).toStrictEqual([]);
});

test('a form without the state of an earlier round answers nothing', async () => {
  const client = open();
  expect(await client.call(accepted)).toMatchObject({ kind: 'form' });
});
