import { memoryJournal, Quiet } from '@deskside/desktop';
import { testContext } from '@deskside/core/testing';
import { fixedClock } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { openInbox } from '../testing/inbox-world.ts';
import { scriptedPopup } from '../testing/scripted-popup.ts';
import { notify } from '../tools/notify.ts';
import type { Visibility } from '../service/presenter.ts';

const CLIENT = { pid: 1, env: { DISPLAY: ':0' }, workingDirectory: '/' };

/** Two agents, and a person whose last input was some time ago. */
function open() {
  const clock = fixedClock('2026-03-01T10:00:00Z');
  const quiet = new Quiet(memoryJournal(), clock);
  let idleMs: number | undefined = 0;
  // Only the screens of the agents tell: this process has none.
  const popup = scriptedPopup({ clock, quiet, idleMs: async (client) => client && idleMs });
  const ask = (caller: string, args: object = {}) => {
    const about = { label: () => caller, key: caller, process: CLIENT };
    const ctx = testContext({ correlationId: caller, caller: about });
    const answer = notify.call({ message: `${caller}?`, ...args }, popup, ctx);
    return { answer, said: () => ctx.sent.progress.map(([, , message]) => message) };
  };
  return {
    popup,
    clock,
    quiet,
    ask,
    shown: () => popup.windows[0]?.spec.question.message,
    idle: (ms: number | undefined) => (idleMs = ms),
    async look(visibility: Visibility) {
      popup.windows[0]?.spec.onVisibility?.(visibility);
      await clock.advanceAsync(0);
    },
    /** The pause before a question. */
    settle: () => clock.advanceAsync(10_000),
  };
}

test('while "Not now" holds for all, no window opens; the agent learns it, and is shown afterwards', async () => {
  const { quiet, ask, shown, clock, settle } = open();
  quiet.begin('15m');
  const { said } = ask('Codex');
  await settle();
  expect(shown()).toBeUndefined();
  expect(said()[0]).toMatch(/^The person is busy\. Waiting for the person's answer/);
  await clock.advanceAsync(900_000 - 10_001);
  expect(shown()).toBeUndefined();
  await clock.advanceAsync(5000);
  await settle();
  expect(shown()).toBe('Codex?');
  expect(said().at(-1)).not.toContain('busy');
});

test('the answer to news that "Not now" holds says so, and not that another popup is open', async () => {
  const { quiet, ask, shown, clock } = open();
  quiet.begin('1h');
  const { answer } = ask('Codex', { wait_for_response: false });
  await clock.advanceAsync(5000);
  expect(shown()).toBeUndefined();
  const text = JSON.stringify(await answer);
  expect(text).toContain('The person wants no popups now.');
  expect(text).not.toContain('Another popup is open');
});

test('a question that "Not now" holds is in a notification, whose "Answer" opens the window; "Not now" still holds others', async () => {
  const { popup, quiet, ask, shown, settle, clock } = open();
  quiet.begin('1h');
  const { answer } = ask('Codex');
  ask('Cursor');
  await settle();
  expect([...popup.putOff].map(({ title, text }) => [title, text])).toStrictEqual([
    ['Codex waits for an answer', 'Codex?'],
    ['Cursor waits for an answer', 'Cursor?'],
  ]);
  [...popup.putOff][0]?.onAnswer();
  // Without a pause: the person asked for it.
  await clock.advanceAsync(0);
  expect(shown()).toBe('Codex?');
  expect(popup.putOff.size).toBe(1);
  popup.windows[0]?.end({ kind: 'submitted', text: 'yes' });
  expect(await answer).toMatchObject({ content: [{ text: expect.stringContaining('yes') }] });
  await settle();
  expect(shown()).toBeUndefined();
  quiet.end();
  await clock.advanceAsync(5000);
  await settle();
  expect(shown()).toBe('Cursor?');
  expect(popup.putOff.size).toBe(0);
});

test('a question that the person moved behind another one is in a notification; "Answer" brings it to the front', async () => {
  const { popup, ask, shown, settle, clock } = open();
  ask('Codex');
  await settle();
  ask('Cursor');
  await clock.advanceAsync(0);
  popup.windows[0]?.end({ kind: 'later' });
  await settle();
  expect(shown()).toBe('Cursor?');
  expect([...popup.putOff].map(({ text }) => text)).toStrictEqual(['Codex?']);
  [...popup.putOff][0]?.onAnswer();
  await clock.advanceAsync(0);
  expect(shown()).toBe('Codex?');
  expect(popup.putOff.size).toBe(0);
  popup.windows[0]?.end({ kind: 'cancelled' });
  await settle();
  expect(shown()).toBe('Cursor?');
});

test('"Answer" opens the window at once while news is on the screen', async () => {
  const { popup, ask, shown, settle, clock } = open();
  ask('Codex');
  await settle();
  popup.windows[0]?.end({ kind: 'quiet', period: '1h', isForAll: false });
  await settle();
  ask('Cursor', { wait_for_response: false });
  await settle();
  expect(shown()).toBe('Cursor?');
  [...popup.putOff][0]?.onAnswer();
  await clock.advanceAsync(0);
  expect(shown()).toBe('Codex?');
});

test('a held question with a timeout ends with the text of the contract, without its notification, and is missed', async () => {
  const { popup, quiet, ask, clock, settle } = open();
  quiet.begin('1h');
  const { answer } = ask('Codex', { timeout: 20 });
  await settle();
  expect(popup.putOff.size).toBe(1);
  await clock.advanceAsync(30_000);
  expect(popup.putOff.size).toBe(0);
  expect(await answer).toMatchObject({ content: [{ text: 'No response within 20s timeout' }] });
  quiet.end();
  ask('Cursor');
  await settle();
  expect(popup.windows[0]?.spec.missed).toMatchObject([{ firstLine: 'Codex?' }]);
});

test('"Not now" in a window holds the agent of its question; others go on', async () => {
  const { popup, ask, shown, settle } = open();
  ask('Codex');
  await settle();
  popup.windows[0]?.end({ kind: 'quiet', period: '1h', isForAll: false });
  await settle();
  expect(shown()).toBeUndefined();
  ask('Cursor');
  await settle();
  expect(shown()).toBe('Cursor?');
  popup.windows[0]?.end({ kind: 'quiet', period: '15m', isForAll: true });
  ask('Claude Code');
  await settle();
  expect(shown()).toBeUndefined();
});

test('behind a locked screen the person is away, for the agent that asks and those that wait', async () => {
  const { ask, idle, look, settle } = open();
  idle(undefined);
  const first = ask('Codex');
  await settle();
  const second = ask('Cursor');
  await settle();
  await look('locked');
  for (const { said } of [first, second]) expect(said().at(-1)).toMatch(/^The person is away\. /);
  await look('visible');
  for (const { said } of [first, second]) expect(said().at(-1)).toMatch(/^Waiting/);
});

test('a person who wants no interruption and goes away is away; "until I am back" ends with the return', async () => {
  const { ask, idle, quiet, clock, shown, settle } = open();
  quiet.begin('1h', 'Codex');
  const { said } = ask('Codex');
  await settle();
  expect(said().at(-1)).toMatch(/^The person is busy\. /);
  idle(300_000);
  await clock.advanceAsync(300_000);
  expect(said().at(-1)).toMatch(/^The person is away\. /);
  quiet.begin('until-back', 'Cursor');
  ask('Cursor');
  await settle();
  expect(shown()).toBeUndefined();
  idle(0);
  await clock.advanceAsync(15_000);
  expect(said().at(-1)).toMatch(/^The person is busy\. /);
  await settle();
  expect(shown()).toBe('Cursor?');
});

test('a cancelled question that is held is never shown, and the inbox can be closed', async () => {
  const { popup, quiet, clock } = open();
  quiet.begin('15m');
  const stop = new AbortController();
  const ctx = testContext({ signal: stop.signal });
  const answer = notify.call({ message: 'Never?' }, popup, ctx);
  await clock.advanceAsync(0);
  stop.abort();
  expect(await answer).toMatchObject({ isError: true });
  await popup[Symbol.asyncDispose]();
  await clock.advanceAsync(900_000);
  expect(popup.seen).toStrictEqual([]);
});

test('a question says whether the person types in another window when its page is loaded', async () => {
  const { ask, idle, popup, clock, settle } = open();
  idle(2000);
  ask('Codex');
  await clock.advanceAsync(0);
  const isTyping = () => popup.windows[0]?.spec.isTyping?.();
  expect(await isTyping()).toBe(false);
  idle(1499);
  expect(await isTyping()).toBe(true);
  idle(undefined);
  expect(await isTyping()).toBe(false);
  popup.windows[0]?.end({ kind: 'cancelled' });
  await settle();
  // The platform tells so late that only the wait for a pause knows it.
  idle(0);
  ask('Cursor');
  await clock.advanceAsync(10_000);
  idle(undefined);
  expect(await isTyping()).toBe(true);
});

test.each([
  ['off', []],
  ['question', ['start on :0', 'start on :0']],
  ['all', ['start on :0', 'start on :0', 'start on :0']],
] as const)(
  'with the sound "%s" the windows of a question, of an approval and of news play %j, where their client is',
  async (sound, chimes) => {
    const popup = openInbox({ sound, person: () => ({ kind: 'dismissed' }) });
    for (const kind of ['question', 'approval', 'news'] as const)
      await popup.ask(kind, { kind, client: CLIENT });
    expect(popup.chimes).toStrictEqual(chimes);
  },
);

test.each([
  [false, []],
  [true, ['start']],
])('in quiet hours a window opens with a sound only if its call asks for one: %s', async (chimes, played) => {
  const clock = fixedClock('2026-03-01T10:00:00Z');
  const quiet = new Quiet(memoryJournal(), clock);
  const minute = clock.now().getHours() * 60;
  quiet.keepHours({ from: minute, to: (minute + 60) % 1440 });
  const popup = openInbox({ clock, quiet, sound: 'all' });
  await popup.ask('first', { chimes });
  expect(popup.windows).toHaveLength(1);
  expect(popup.chimes).toStrictEqual(played);
});
