import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { memoryDraftStore } from '../history/drafts.ts';
import type { PopupSpec } from './presenter.ts';
import { popupSpec } from '../testing/samples.ts';
import { type Script, scriptedPopup } from '../testing/scripted-popup.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const log = { debug: () => undefined, warn: () => undefined };
const { question } = popupSpec();

function caller(session = 'one') {
  const stop = new AbortController();
  return { session, signal: stop.signal, log, stop: () => stop.abort() };
}

test.each([5, 7.5, 300])('a timeout of %d s starts when the popup is on the screen', async (timeout) => {
  const popup = scriptedPopup();
  const outcome = popup.service.ask({ ...question, timeout }, caller());
  await vi.advanceTimersByTimeAsync(timeout * 1000 - 1);
  expect(popup.seen).toStrictEqual(['open Which one?']);
  await vi.advanceTimersByTimeAsync(1);
  expect(await outcome).toStrictEqual({ kind: 'timeout' });
  await vi.runAllTimersAsync();
  expect(popup.seen).toStrictEqual(['open Which one?', 'close Which one?']);
});

test('a question of another session waits, and its timeout starts when it is shown', async () => {
  const popup = scriptedPopup();
  const first = popup.service.ask({ ...question, message: 'first', timeout: 20 }, caller('one'));
  const second = popup.service.ask({ ...question, message: 'second', timeout: 5 }, caller('two'));
  await vi.advanceTimersByTimeAsync(19_000);
  expect(popup.seen).toStrictEqual(['open first']);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await first).toStrictEqual({ kind: 'timeout' });
  await vi.advanceTimersByTimeAsync(4999);
  expect(popup.seen).toStrictEqual(['open first', 'close first', 'open second']);
  await vi.advanceTimersByTimeAsync(1);
  expect(await second).toStrictEqual({ kind: 'timeout' });
});

test('questions without a session do not replace each other, nor those of a session', async () => {
  const popup = scriptedPopup();
  const outcomes = ['one', undefined, undefined].map((session, index) => {
    const asking = { ...caller(), session };
    return popup.service.ask({ ...question, message: `question ${index}`, timeout: 5 }, asking);
  });
  await vi.advanceTimersByTimeAsync(15_000);
  expect(await Promise.all(outcomes)).toStrictEqual(outcomes.map(() => ({ kind: 'timeout' })));
});

test('a message without an answer closes after its timeout', async () => {
  const popup = scriptedPopup();
  const shown = popup.service.ask({ ...question, waitsForResponse: false, timeout: 30 }, caller());
  expect(await shown).toStrictEqual({ kind: 'displayed' });
  await vi.advanceTimersByTimeAsync(29_999);
  expect(popup.seen).toStrictEqual(['open Which one?']);
  await vi.advanceTimersByTimeAsync(1);
  expect(popup.seen).toStrictEqual(['open Which one?', 'close Which one?']);
});

test('a question that is cancelled while it waits is never shown', async () => {
  const popup = scriptedPopup();
  void popup.service.ask({ ...question, message: 'first' }, caller('one'));
  const second = caller('two');
  const outcome = popup.service.ask({ ...question, message: 'second' }, second);
  await vi.advanceTimersByTimeAsync(1);
  second.stop();
  expect(await outcome).toStrictEqual({ kind: 'abandoned' });
  await popup[Symbol.asyncDispose]();
  expect(popup.seen).toStrictEqual(['open first', 'close first']);
});

/** A popup in which the person has typed text. */
function withTyping(script: Script = {}) {
  const specs: PopupSpec[] = [];
  const drafts = memoryDraftStore();
  const popup = scriptedPopup({
    drafts,
    ...script,
    person(spec) {
      specs.push(spec);
      spec.onDraft('half a sentence');
      return script.person?.(spec);
    },
  });
  return { popup, drafts, specs };
}

test('the popup of a cancelled question stays open if it has a draft, and the next popup offers the draft', async () => {
  const { popup, specs } = withTyping();
  const first = caller();
  const outcome = popup.service.ask({ ...question, timeout: 30 }, first);
  await vi.advanceTimersByTimeAsync(1);
  first.stop();
  expect(await outcome).toStrictEqual({ kind: 'abandoned' });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(popup.seen).toStrictEqual(['open Which one?']);
  expect(popup.notices).toStrictEqual([{ kind: 'callerGone' }]);
  void popup.service.ask(question, caller());
  await vi.advanceTimersByTimeAsync(1);
  expect(specs.map(({ drafts: [draft] }) => draft?.text)).toStrictEqual([undefined, 'half a sentence']);
});

test.each([
  ['submitted', undefined],
  ['cancelled', undefined],
  ['dismissed', undefined],
  ['lost', 'half a sentence'],
] as const)('after a popup was %s the draft is %j', async (kind, left) => {
  const ending = { kind, text: 'whole', reason: 'crash' };
  const { popup, drafts } = withTyping({ person: () => ending });
  await popup.service.ask(question, caller());
  await popup[Symbol.asyncDispose]();
  expect((await drafts.list())[0]?.text).toBe(left);
});

test('closing the service closes the popup and answers its caller', async () => {
  const { popup } = withTyping();
  const outcome = popup.service.ask(question, caller());
  await vi.advanceTimersByTimeAsync(1);
  await popup[Symbol.asyncDispose]();
  expect(await outcome).toStrictEqual({ kind: 'abandoned' });
  expect(popup.seen).toStrictEqual(['open Which one?', 'close Which one?']);
});
