import { expect, test } from 'vitest';
import { openInbox } from '../testing/inbox-world.ts';
import type { Ending } from './presenter.ts';

/** An approval of the item `one`, on the screen if the desk is ours. */
async function open(isOurs = true) {
  const world = openInbox();
  world.desk.give(isOurs);
  const asked = await world.ask('Run shop › drop_table?', {
    kind: 'approval',
    title: 'Approval',
    timeout: 120,
    caller: 'codex · infra',
    approval: {
      arguments: [{ name: 'table', value: 'orders' }],
      calls: 1,
      more: ['session'],
      isExact: true,
    },
    item: { id: 'one', user: 'owner' },
  });
  const settle = () => world.clock.advanceAsync(0);
  return { ...world, asked, settle };
}

test.each<Ending>([
  { kind: 'allowed', scope: 'session' },
  { kind: 'denied', text: 'use staging' },
  { kind: 'dismissed' },
])('an approval ends with %j', async (ending) => {
  const { end, asked, written } = await open();
  await end(ending);
  expect(await asked.outcome).toStrictEqual(ending);
  expect(written).toStrictEqual([]);
});

test('no text and no cancel is a yes, and a question takes no yes', async () => {
  const { ask, inbox, settle, asked } = await open();
  inbox.answer('one', { kind: 'submitted', text: 'allow' }, 'page');
  inbox.answer('one', { kind: 'cancelled' }, 'page');
  await settle();
  expect(asked.now()).toBe('open');
  inbox.answer('one', { kind: 'denied', text: '' }, 'page');
  expect(await asked.outcome).toStrictEqual({ kind: 'denied', text: '' });
  const question = await ask('Which?', { item: { id: 'two', user: 'owner' } });
  inbox.answer('two', { kind: 'allowed', scope: 'once' }, 'page');
  inbox.answer('two', { kind: 'submitted', text: 'this' }, 'page');
  expect(await question.outcome).toStrictEqual({ kind: 'submitted', text: 'this' });
});

const call = (id: string) => ({ id, arguments: [], calls: 1 });

test('an answer from elsewhere is for calls that wait, and allows no more than the window', async () => {
  const { inbox, asked } = await open();
  inbox.update('one', { ...call('a'), others: [call('b')], more: ['session'], isExact: true });
  expect(inbox.answer('one', { kind: 'allowed', scope: 'once' }, 'page')).toBe(false);
  expect(inbox.answer('one', { kind: 'allowed', scope: 'once', ids: ['c'] }, 'page')).toBe(false);
  expect(inbox.answer('one', { kind: 'allowed', scope: 'always', ids: ['a'] }, 'page')).toBe(false);
  expect(inbox.answer('one', { kind: 'allowed', scope: 'once', ids: ['b', 'c'] }, 'page')).toBe(true);
  expect(await asked.outcome).toStrictEqual({ kind: 'allowed', scope: 'once', ids: ['b'] });
});

test('an approval ends two minutes after it was asked, also if it waits for another window', async () => {
  const { clock, asked } = await open(false);
  await clock.advanceAsync(114_999);
  expect(asked.now()).toBe('open');
  await clock.advanceAsync(5001);
  expect(asked.now()).toBe('timeout');
});

test('a window whose call is cancelled closes, also with a reason in its box', async () => {
  const { windows, window, asked, settle } = await open();
  window()?.spec.onDraft('because');
  asked.cancel();
  await settle();
  expect(asked.now()).toBe('abandoned');
  expect(windows).toHaveLength(0);
});

test('the window and the other surfaces learn which calls wait', async () => {
  const { inbox, notices, settle } = await open();
  const seen: unknown[] = [];
  inbox.subscribe((change) => void seen.push(change.kind === 'open' && change.item.approval));
  const approval = {
    id: 'a',
    arguments: [{ name: 'table', value: 'orders' }],
    calls: 3,
    others: [call('b')],
    more: [],
    isExact: true,
  };
  inbox.update('one', approval);
  await settle();
  expect(notices).toContainEqual({ kind: 'approval', approval });
  expect(seen.at(-1)).toBe(approval);
});
