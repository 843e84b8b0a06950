import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { answerOf } from '../tools/answers.ts';
import { draftInMemory } from '../drafts/draft-store.ts';
import type { PopupSpec } from './presenter.ts';
import { popupSpec } from '../testing/popup-spec.ts';
import { type Script, scriptedPopup } from '../testing/scripted-popup.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const log = { debug: () => undefined, warn: () => undefined };
const { question } = popupSpec();

function caller(session = 'one') {
  const stop = new AbortController();
  return { session, signal: stop.signal, log, stop: () => stop.abort() };
}

test.each([5, 7.5, 300])(
  'a timeout of %d s counts from the moment the popup is on the screen',
  async (timeout) => {
    const popup = scriptedPopup();
    const asked = { ...question, timeout };
    const outcome = popup.service.ask(asked, caller());
    await vi.advanceTimersByTimeAsync(timeout * 1000 - 1);
    expect(popup.seen).toStrictEqual(['open Which one?']);
    await vi.advanceTimersByTimeAsync(1);
    expect(answerOf(await outcome, asked)).toBe(`No response within ${timeout}s timeout`);
    await vi.runAllTimersAsync();
    expect(popup.seen).toStrictEqual(['open Which one?', 'close Which one?']);
  },
);

test("another session's question waits, and its time starts when it is shown", async () => {
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

test('a message that wants no answer hides itself after its timeout', async () => {
  const popup = scriptedPopup();
  const shown = popup.service.ask({ ...question, waitsForResponse: false, timeout: 30 }, caller());
  expect(await shown).toStrictEqual({ kind: 'displayed' });
  await vi.advanceTimersByTimeAsync(29_999);
  expect(popup.seen).toStrictEqual(['open Which one?']);
  await vi.advanceTimersByTimeAsync(1);
  expect(popup.seen).toStrictEqual(['open Which one?', 'close Which one?']);
});

test('a question that is cancelled while it waits never comes up', async () => {
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

/** A popup in which the person has typed something. */
function withTyping(script: Script = {}) {
  const specs: PopupSpec[] = [];
  const drafts = draftInMemory();
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

test('a cancelled question with a draft stays, is kept, and is offered with the next', async () => {
  const { popup, specs } = withTyping();
  const first = caller();
  const outcome = popup.service.ask({ ...question, timeout: 30 }, first);
  await vi.advanceTimersByTimeAsync(1);
  first.stop();
  expect(await outcome).toStrictEqual({ kind: 'abandoned' });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(popup.seen).toStrictEqual(['open Which one?']);
  expect(popup.notices).toStrictEqual([{ kind: 'unheard' }]);
  void popup.service.ask(question, caller());
  await vi.advanceTimersByTimeAsync(1);
  expect(specs.map(({ draft }) => draft)).toStrictEqual([undefined, 'half a sentence']);
});

test.each([
  ['submitted', undefined],
  ['cancelled', undefined],
  ['dismissed', undefined],
  ['lost', 'half a sentence'],
] as const)('what was typed into a popup that was %s leaves the draft %s', async (kind, left) => {
  const ending = { kind, text: 'whole', reason: 'crash' };
  const { popup, drafts } = withTyping({ person: () => ending });
  await popup.service.ask(question, caller());
  await popup[Symbol.asyncDispose]();
  expect(await drafts.latest()).toBe(left);
});

test('closing closes what is on the screen and answers who waits', async () => {
  const { popup } = withTyping();
  const outcome = popup.service.ask(question, caller());
  await vi.advanceTimersByTimeAsync(1);
  await popup[Symbol.asyncDispose]();
  expect(await outcome).toStrictEqual({ kind: 'abandoned' });
  expect(popup.seen).toStrictEqual(['open Which one?', 'close Which one?']);
});
