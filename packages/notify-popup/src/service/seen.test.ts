import { expect, test } from 'vitest';
import { memoryDraftStore } from '../history/drafts.ts';
import { openInbox } from '../testing/inbox-world.ts';
import type { Script } from '../testing/scripted-popup.ts';

/** A desktop that tells what the person can see. */
function open(script: Script = {}) {
  const world = openInbox({ isVisible: false, ...script });
  return { ...world, popup: world };
}

test('a minimized question lets the next one be shown, and comes back after it', async () => {
  const { ask, look, shown, end } = open();
  const first = await ask('first?');
  await look('visible');
  await look('minimized');
  expect(shown()).toBe('first?');
  await ask('second?');
  expect(shown()).toBe('second?');
  await end();
  expect(shown()).toBe('first?');
  expect(first.now()).toBe('open');
});

test('a window that is visible before its page is ready counts as seen when it is ready', async () => {
  const ready = Promise.withResolvers<void>();
  const { ask, look, clock, record, popup } = open({ opens: () => ready.promise });
  const { now } = await ask('first?', { timeout: 5 });
  expect(now()).toBe('open');
  await look('visible');
  expect(record('first?')).toStrictEqual([]);
  ready.resolve();
  await clock.advanceAsync(0);
  expect(record('first?')).toStrictEqual(['shown', 'seen']);
  await clock.advanceAsync(5000);
  expect(record('first?')?.at(-1)).toBe('timed out');
  expect(popup.windows).toStrictEqual([]);
});

test('minimized news closes for the next popup, and is read', async () => {
  const { ask, look, popup, record } = open();
  await ask('Done!', { kind: 'news' });
  await look('visible');
  await look('minimized');
  await ask('Next?');
  expect(popup.seen).toStrictEqual(['open Done!', 'close Done!', 'open Next?']);
  expect(record('Done!')).toStrictEqual(['shown', 'seen', 'closed']);
});

test('news behind the lock is not read: it comes back after the question', async () => {
  const { ask, look, clock, shown, end, record } = open();
  await ask('Done!', { kind: 'news' });
  await look('locked');
  await clock.advanceAsync(25_000);
  await ask('Next?');
  expect(shown()).toBe('Next?');
  await end();
  expect(shown()).toBe('Done!');
  expect(record('Done!')).toStrictEqual(['shown']);
  await look('visible');
  await end({ kind: 'dismissed' });
  expect(record('Done!')).toStrictEqual(['shown', 'seen', 'closed']);
});

test('news that was replaced before it was seen is recorded, and the next window lists it as missed', async () => {
  const { ask, look, window, end, written, record } = open();
  await ask('Which one?');
  await look('visible');
  await ask('Done: all tests pass', { kind: 'news', session: 'agent' });
  await ask('Also pushed', { kind: 'news', session: 'agent' });
  expect(record('Done: all tests pass')).toStrictEqual(['replaced']);
  expect(written).toContain('agent: Done: all tests pass');
  await end();
  expect(window()?.spec.question.message).toBe('Also pushed');
  expect(window()?.spec.missed).toMatchObject([{ firstLine: 'Done: all tests pass' }]);
});

test.each(['question', 'news'] as const)(
  'a question that the person never saw is listed as missed when a later %s of its session replaces it',
  async (kind) => {
    const { ask, look, window, written, record } = open();
    const first = await ask('Deploy?', { session: 'agent' });
    await look('minimized');
    await ask('Never mind', { kind, session: 'agent' });
    expect(first.now()).toBe('superseded');
    expect(record('Deploy?')).toStrictEqual(['shown', 'replaced']);
    expect(written).toContain('agent: Deploy?');
    expect(window()?.spec).toMatchObject({
      question: { message: 'Never mind' },
      missed: [{ firstLine: 'Deploy?' }],
    });
  },
);

test('a question that timed out behind the lock is reported when the person is back', async () => {
  const { ask, look, clock, window, end, record, written } = open();
  const call = await ask('Deploy?', { timeout: 20 });
  await look('locked');
  await clock.advanceAsync(20_000);
  expect(call.now()).toBe('timeout');
  expect(record('Deploy?')).toStrictEqual(['shown', 'timed out']);
  const reminder = window()?.spec;
  expect(reminder?.question).toMatchObject({ caller: 'Deskside', kind: 'news' });
  expect(reminder?.missed).toMatchObject([{ firstLine: 'Deploy?' }]);
  await look('locked');
  // A question comes, is missed too, and both are listed.
  await ask('And now?', { timeout: 5 });
  await look('locked');
  await clock.advanceAsync(5000);
  expect(window()?.spec.missed.map(({ firstLine }) => firstLine)).toStrictEqual(['Deploy?', 'And now?']);
  await look('visible');
  await end({ kind: 'dismissed' });
  expect(window()).toBeUndefined();
  await ask('Back?');
  expect(window()?.spec.missed).toStrictEqual([]);
  expect(written).toStrictEqual(['agent: Deploy?', 'agent: And now?', 'agent: Back?']);
});

test('a question that the person saw and left is not missed', async () => {
  const { ask, look, clock, window } = open();
  await ask('Deploy?', { timeout: 20 });
  await look('visible');
  await look('locked');
  await clock.advanceAsync(20_000);
  expect(window()).toBeUndefined();
});

test('a window that is used is seen', async () => {
  const { ask, window, record, look } = open();
  await ask('Used?');
  await look('locked');
  window()?.spec.onActivity();
  expect(record('Used?')).toStrictEqual(['shown', 'seen']);
});

test.each([
  ['stops', [400, 900], 2400],
  ['goes on after a short stop', [1400, 2800], 4300],
  ['does not stop', Array.from({ length: 200 }, (_, index) => 100 * index), 10_000],
])(
  'a question opens in a pause of input of a person who %s, and its time starts then',
  async (_, keys, ms) => {
    let questions = 0;
    const world = open({
      async idleMs() {
        questions += 1;
        const now = world.clock.elapsedMs();
        return now - Math.max(0, ...keys.filter((key) => key <= now));
      },
    });
    const call = await world.ask('Which one?', { timeout: 20 });
    await world.clock.advanceAsync(ms - 1);
    expect(world.shown()).toBeUndefined();
    await world.clock.advanceAsync(1);
    expect(world.shown()).toBe('Which one?');
    await world.clock.advanceAsync(19_999);
    expect(call.now()).toBe('open');
    await world.clock.advanceAsync(1);
    expect(call.now()).toBe('timeout');
    expect(questions).toBeLessThan(9);
  },
);

test('a platform that never says when the last input was delays a question by ten seconds', async () => {
  const { ask, clock, shown } = open({ idleMs: () => new Promise(() => undefined) });
  await ask('Which one?');
  await clock.advanceAsync(9999);
  expect(shown()).toBeUndefined();
  await clock.advanceAsync(1);
  expect(shown()).toBe('Which one?');
});

/** A person whose last input is known. */
function typing(script: Script = {}) {
  let lastInput = 0;
  const world = open({ idleMs: async () => world.clock.elapsedMs() - lastInput, ...script });
  const type = () => {
    lastInput = world.clock.elapsedMs();
  };
  return { ...world, type };
}

test('news does not wait for a pause, and a question that is cancelled in its wait, or before it, never opens', async () => {
  const reading = Promise.withResolvers<[]>();
  const { ask, popup } = typing({ drafts: { ...memoryDraftStore(), list: () => reading.promise } });
  (await ask('Never?')).cancel();
  reading.resolve([]);
  (await ask('Nor this?')).cancel();
  await ask('Done!', { kind: 'news' });
  expect(popup.seen).toStrictEqual(['open Done!']);
});

test('a question that the person goes to opens at once', async () => {
  const { ask, clock, shown, type, popup } = typing();
  await ask('first?');
  await clock.advanceAsync(1500);
  await ask('second?');
  const [second] = popup.desk.items;
  type();
  popup.windows[0]?.end({ kind: 'show', id: second?.id ?? '' });
  await clock.advanceAsync(0);
  expect(shown()).toBe('second?');
});

const seenNotices = ({ notices }: Pick<ReturnType<typeof openInbox>, 'notices'>) =>
  notices.filter(({ kind }) => kind === 'seen');
const SEEN = { kind: 'seen', isSeen: true };
const UNSEEN = { kind: 'seen', isSeen: false };

test('news is seen when the person gives a sign while it is visible, and the page learns it', async () => {
  const { ask, look, clock, type, popup, record } = typing();
  await ask('Done!', { kind: 'news' });
  await look('locked');
  type();
  await clock.advanceAsync(10_000);
  await look('visible');
  await clock.advanceAsync(60_000);
  expect(record('Done!')).toStrictEqual(['shown']);
  expect(seenNotices(popup)).toStrictEqual([]);
  type();
  await clock.advanceAsync(2000);
  expect(record('Done!')).toStrictEqual(['shown', 'seen']);
  expect(seenNotices(popup)).toStrictEqual([SEEN]);
  await look('locked');
  type();
  await clock.advanceAsync(60_000);
  expect(seenNotices(popup)).toStrictEqual([SEEN, UNSEEN]);
  await look('visible');
  await clock.advanceAsync(4000);
  expect(seenNotices(popup).at(-1)).toStrictEqual(UNSEEN);
  type();
  await clock.advanceAsync(2000);
  expect(seenNotices(popup).at(-1)).toStrictEqual(SEEN);
});

test('on a platform that does not tell, news is not closed for being read', async () => {
  const { ask, look, clock, popup, record } = open();
  await ask('Done!', { kind: 'news' });
  await look('visible');
  await clock.advanceAsync(60_000);
  expect(record('Done!')).toStrictEqual(['shown', 'seen']);
  expect(seenNotices(popup)).toStrictEqual([]);
});

test('news whose time ends while the person is away is missed, and listed until the list was read', async () => {
  const { ask, look, clock, window, end, record } = typing();
  await clock.advanceAsync(300_000);
  await ask('Done!', { kind: 'news', timeout: 20 });
  await look('visible');
  await clock.advanceAsync(20_000);
  expect(record('Done!')).toStrictEqual(['shown', 'closed']);
  expect(window()?.spec).toMatchObject({
    question: { caller: 'Deskside' },
    missed: [{ firstLine: 'Done!' }],
  });
  await end({ kind: 'read' });
  await ask('Back?');
  await clock.advanceAsync(0);
  expect(window()?.spec.missed).toStrictEqual([]);
});

test('a list of missed messages that was in the window of an answered question opens no window again', async () => {
  const { ask, look, clock, shown, window, end } = open();
  await ask('Deploy?', { timeout: 20 });
  await look('locked');
  await clock.advanceAsync(20_000);
  await look('locked');
  await ask('And now?');
  expect(shown()).toBe('And now?');
  expect(window()?.spec.missed).toMatchObject([{ firstLine: 'Deploy?' }]);
  await look('visible');
  await end();
  expect(shown()).toBeUndefined();
});
