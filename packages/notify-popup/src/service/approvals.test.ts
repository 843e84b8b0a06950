import { fixedClock } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { scriptedPopup } from '../testing/scripted-popup.ts';
import type { PopupOutcome } from '@deskside/desktop';
import type { Ending } from './presenter.ts';

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined };

function open(obstacle?: { readonly kind: 'no-display'; readonly tried: readonly string[] }) {
  const clock = fixedClock('2026-03-01T10:00:00Z');
  const written: string[] = [];
  const popup = scriptedPopup({
    clock,
    ...(obstacle === undefined ? {} : { obstacle }),
    history: { recent: async () => [], add: async (_, text) => void written.push(text) },
  });
  const stop = new AbortController();
  const asked: { outcome?: PopupOutcome } = {};
  void popup.inbox
    .ask(
      {
        kind: 'approval',
        message: 'Run shop › drop_table?',
        title: 'Approval',
        timeout: 120,
        theme: 'auto',
        showsHistory: false,
        chimes: false,
        caller: 'codex · infra',
        approval: {
          arguments: [{ name: 'table', value: 'orders' }],
          calls: 1,
          more: ['session'],
          isExact: true,
        },
      },
      { item: { id: 'one', user: 'owner' }, session: undefined, signal: stop.signal, log },
    )
    .then((outcome) => (asked.outcome = outcome));
  const settle = () => clock.advanceAsync(0);
  return {
    popup,
    clock,
    written,
    asked,
    stop,
    settle,
    async shown() {
      await settle();
      const [window] = popup.windows;
      if (window === undefined) throw new Error('no window');
      return window;
    },
  };
}

const ANSWERS: readonly Ending[] = [
  { kind: 'allowed', scope: 'once' },
  { kind: 'allowed', scope: 'session' },
  { kind: 'denied', text: 'use staging' },
  { kind: 'dismissed' },
];

test.each(ANSWERS)('an approval ends with %j', async (ending) => {
  const { shown, settle, asked, written } = open();
  (await shown()).end(ending);
  await settle();
  expect(asked.outcome).toStrictEqual(ending);
  expect(written).toStrictEqual([]);
});

test('no text and no cancel is a yes, and a question takes no yes', async () => {
  const { popup, shown, settle, asked } = open();
  await shown();
  popup.inbox.answer('one', { kind: 'submitted', text: 'allow' }, 'page');
  popup.inbox.answer('one', { kind: 'cancelled' }, 'page');
  await settle();
  expect(asked.outcome).toBeUndefined();
  popup.inbox.answer('one', { kind: 'denied', text: '' }, 'page');
  await settle();
  expect(asked.outcome).toStrictEqual({ kind: 'denied', text: '' });
  const question = {
    kind: 'question',
    message: 'Which?',
    title: 'VoiceMode',
    theme: 'auto',
    showsHistory: false,
    chimes: false,
    caller: 'codex',
  } as const;
  const { signal } = new AbortController();
  const answered = popup.inbox.ask(question, {
    item: { id: 'two', user: 'owner' },
    session: undefined,
    signal,
    log,
  });
  await settle();
  popup.inbox.answer('two', { kind: 'allowed', scope: 'once' }, 'page');
  popup.inbox.answer('two', { kind: 'submitted', text: 'this' }, 'page');
  expect(await answered).toStrictEqual({ kind: 'submitted', text: 'this' });
});

const call = (id: string) => ({ id, arguments: [], calls: 1 });

test('an answer from elsewhere is for calls that wait, and allows no more than the window', async () => {
  const { popup, shown, settle, asked } = open();
  await shown();
  popup.inbox.update('one', { ...call('a'), others: [call('b')], more: ['session'], isExact: true });
  expect(popup.inbox.answer('one', { kind: 'allowed', scope: 'once' }, 'page')).toBe(false);
  expect(popup.inbox.answer('one', { kind: 'allowed', scope: 'once', ids: ['c'] }, 'page')).toBe(false);
  expect(popup.inbox.answer('one', { kind: 'allowed', scope: 'always', ids: ['a'] }, 'page')).toBe(false);
  expect(popup.inbox.answer('one', { kind: 'allowed', scope: 'once', ids: ['b', 'c'] }, 'page')).toBe(true);
  await settle();
  expect(asked.outcome).toStrictEqual({ kind: 'allowed', scope: 'once', ids: ['b'] });
});

test('an approval ends two minutes after it was asked, also if it waits for another window', async () => {
  const { popup, clock, settle, asked } = open();
  popup.desk.give(false);
  await settle();
  await clock.advanceAsync(114_999);
  expect(asked.outcome).toBeUndefined();
  await clock.advanceAsync(5001);
  expect(asked.outcome).toStrictEqual({ kind: 'timeout' });
});

test('a window whose call is cancelled closes, also with a reason in its box', async () => {
  const { popup, shown, settle, asked, stop } = open();
  (await shown()).spec.onDraft('because');
  stop.abort();
  await settle();
  expect(asked.outcome).toStrictEqual({ kind: 'abandoned' });
  expect(popup.windows).toHaveLength(0);
});

test('the window and the other surfaces learn which calls wait', async () => {
  const { popup, shown, settle } = open();
  await shown();
  const seen: unknown[] = [];
  popup.inbox.subscribe((change) => void seen.push(change.kind === 'open' && change.item.approval));
  const approval = {
    id: 'a',
    arguments: [{ name: 'table', value: 'orders' }],
    calls: 3,
    others: [{ id: 'b', arguments: [], calls: 1 }],
    more: [],
    isExact: true,
  };
  popup.inbox.update('one', approval);
  await settle();
  expect(popup.notices).toContainEqual({ kind: 'approval', approval });
  expect(seen.at(-1)).toBe(approval);
});

test('without a display the outcome is there at once', async () => {
  const { settle, asked } = open({ kind: 'no-display', tried: [] });
  await settle();
  expect(asked.outcome).toStrictEqual({ kind: 'no-display', tried: [] });
});
