import { expect, test } from 'vitest';
import type { DeskItem } from '../desktop/desk.ts';
import { openInbox } from '../testing/inbox-world.ts';
import { CannotPresent } from './presenter.ts';

function other(changes: Partial<DeskItem> = {}): DeskItem {
  const since = '2026-03-01T09:00:00.000Z';
  const about = { kind: 'question', caller: 'Another host', firstLine: 'And this?', place: 0 } as const;
  return { id: 'other', process: 'another', since, ...about, ...changes };
}

test.each([
  [5, 10],
  [20, 40],
  [60, 90],
  [300, 330],
])(
  'a call with a timeout of %d s that waits for another session ends within %d s',
  async (timeout, limit) => {
    const { clock, ask } = openInbox();
    await ask('first');
    const second = await ask('second', { timeout });
    await clock.advanceAsync((limit - 5) * 1000 - 1);
    expect(second.ahead).toStrictEqual([1]);
    expect(second.now()).toBe('open');
    await clock.advanceAsync(1);
    expect(second.now()).toBe('timeout');
  },
);

test('a window that opens late shows the time that is left', async () => {
  const opening = Promise.withResolvers<void>();
  const { clock, window, ...popup } = openInbox({ opens: async () => opening.promise });
  const call = await popup.ask('Which one?', { timeout: 10 });
  await clock.advanceAsync(14_000);
  opening.resolve();
  await clock.advanceAsync(5999);
  expect(window()).toBeDefined();
  expect(call.now()).toBe('open');
  await clock.advanceAsync(1);
  expect(call.now()).toBe('timeout');
});

test('a later popup of a session replaces the earlier one and takes its place before other sessions', async () => {
  const popup = openInbox();
  const first = await popup.ask('first', { session: 'one' });
  const other1 = await popup.ask('other');
  const second = await popup.ask('second', { session: 'one' });
  expect([first.now(), second.now(), other1.now()]).toStrictEqual(['superseded', 'open', 'open']);
  expect(popup.seen).toStrictEqual(['open first', 'close first', 'open second']);
});

test.each(['cancelled', 'dismissed', 'lost'] as const)(
  'text stays as a draft after the popup was %s, and the next popup of this agent offers it',
  async (kind) => {
    const { clock, window, ...popup } = openInbox();
    await popup.ask('Which one?\nPlease.', { caller: 'Example host · garden' });
    window()?.spec.onDraft('half a sentence');
    window()?.end(kind === 'lost' ? { kind, reason: 'crash' } : { kind });
    await clock.advanceAsync(0);
    const other = await popup.ask('And this?', { caller: 'Another host · garden' });
    expect(window()?.spec.drafts).toStrictEqual([]);
    other.cancel();
    await popup.ask('Next?', { caller: 'Example host · garden' });
    const offered = { text: 'half a sentence', question: 'Which one?', caller: 'Example host · garden' };
    expect(window()?.spec.drafts).toMatchObject([offered]);
    // Typing in the next popup changes nothing in it.
    window()?.spec.onDraft('x');
    await clock.advanceAsync(0);
    expect((await popup.drafts.list()).map(({ text }) => text)).toStrictEqual(['x', 'half a sentence']);
  },
);

test('text, images and what was in view are there again after "Later", only in their own window, until they are sent', async () => {
  const { window, ...popup } = openInbox();
  await popup.ask('first');
  await popup.ask('second');
  const image = { mimeType: 'image/png', data: 'AA==' };
  window()?.spec.onDraft('half a sentence');
  window()?.spec.onImages?.([image]);
  window()?.spec.onInView?.([0, 1]);
  window()?.spec.onInView?.([1, 2]);
  await popup.end({ kind: 'later' });
  const drafts = [{ text: 'half a sentence' }];
  expect(window()?.spec).toMatchObject({ typed: '', drafts, images: [], inView: new Set() });
  await popup.end({ kind: 'later' });
  const left = { typed: 'half a sentence', drafts: [], images: [image], inView: new Set([0, 1, 2]) };
  expect(window()?.spec).toMatchObject({ question: { message: 'first' }, ...left });
  await popup.end({ kind: 'submitted', text: 'half a sentence' });
  expect(await popup.drafts.list()).toStrictEqual([]);
});

test('the popup of a cancelled question stays open if it has text, until a question waits for ten quiet seconds', async () => {
  const { clock, window, ...popup } = openInbox();
  const call = await popup.ask('Which one?', { timeout: 30, session: 'one' });
  window()?.spec.onDraft('half a sentence');
  await clock.advanceAsync(0);
  call.cancel();
  expect(await call.outcome).toStrictEqual({ kind: 'abandoned' });
  await clock.advanceAsync(60_000);
  expect(popup.seen).toStrictEqual(['open Which one?']);
  window()?.spec.onActivity();
  await popup.ask('Next?', { session: 'one' });
  await clock.advanceAsync(9999);
  expect(popup.notices.map(({ kind }) => kind)).toStrictEqual([
    'waiting',
    'callerGone',
    'waiting',
    'givesWay',
  ]);
  expect(popup.seen).toStrictEqual(['open Which one?']);
  await clock.advanceAsync(1);
  expect(popup.seen).toStrictEqual(['open Which one?', 'close Which one?', 'open Next?']);
  expect(window()?.spec.drafts).toMatchObject([{ text: 'half a sentence' }]);
});

test('news gives way to a question at once and comes back after it, because no one has read it', async () => {
  const { clock, ...popup } = openInbox();
  await popup.ask('Done!', { kind: 'news', timeout: 30 });
  await popup.ask('Which one?');
  await clock.advanceAsync(60_000);
  expect(popup.seen).toStrictEqual(['open Done!', 'close Done!', 'open Which one?']);
  await popup.end();
  expect(popup.seen.at(-1)).toBe('open Done!');
  // Now it was on the screen for ten seconds: the question of another process closes it for good.
  await clock.advanceAsync(10_000);
  popup.desk.others([other()]);
  await clock.advanceAsync(0);
  expect(popup.desk.passed).toBe(1);
  popup.desk.others([]);
  popup.desk.give(true);
  expect(popup.seen.slice(5)).toStrictEqual(['close Done!']);
});

test('news that waits for a question answers after five seconds, and is shown later', async () => {
  const { clock, ...popup } = openInbox();
  await popup.ask('Which one?');
  const news = await popup.ask('Done!', { kind: 'news' });
  await clock.advanceAsync(4999);
  expect(news.now()).toBe('open');
  await clock.advanceAsync(1);
  expect(news.now()).toBe('waits');
  await popup.end();
  expect(popup.seen.at(-1)).toBe('open Done!');
});

test('a question does not give way to anything', async () => {
  const { clock, ...popup } = openInbox();
  await popup.ask('Which one?');
  popup.desk.others([other(), other({ id: 'news', kind: 'news' })]);
  await clock.advanceAsync(3_600_000);
  expect(popup.seen).toStrictEqual(['open Which one?']);
});

test('the window lists what waits here and in other processes, in the order in which it is shown', async () => {
  const { clock, ...popup } = openInbox();
  await popup.ask('first');
  await popup.ask('Done!', { kind: 'news' });
  await popup.ask('third\nline', { caller: 'Claude Code · garden' });
  popup.desk.others([other()]);
  await clock.advanceAsync(0);
  const since = '2026-03-01T10:00:00.000Z';
  const id = expect.any(String);
  const here = { id, since, here: true };
  expect(popup.notices.at(-1)).toStrictEqual({
    kind: 'waiting',
    waiting: [
      {
        ...here,
        caller: 'Another host',
        since: other().since,
        firstLine: 'And this?',
        here: false,
        follows: false,
      },
      { ...here, caller: 'Claude Code · garden', firstLine: 'third', follows: true },
      { ...here, caller: 'Example host', firstLine: 'Done!', follows: false },
    ],
  });
});

test.each([
  [{ item: { id: 'second', user: 'ada' } }, true],
  [{ item: { id: 'second', user: 'bob' } }, false],
  [{ item: { id: 'second', user: 'ada' }, client: { pid: 1, env: { DISPLAY: ':5' } } }, false],
])('two principals, and two screens, never share a window: %j follows: %s', async (about, follows) => {
  const popup = openInbox();
  for (const asking of [{ item: { id: 'first', user: 'ada' } }, about]) {
    const { id } = asking.item;
    await popup.ask(id, { ...asking, session: id });
  }
  expect(popup.notices.at(-1)).toMatchObject({ waiting: [{ firstLine: 'second', follows }] });
  // The end of the queue is behind what was moved there before.
  for (const message of ['second', 'first', 'second']) {
    await popup.end({ kind: 'later' });
    expect(popup.shown()).toBe(message);
  }
});

test('the person steps to a waiting question, and the one that was left keeps its place and its time', async () => {
  const { clock, window, ...popup } = openInbox();
  const first = await popup.ask('first', { timeout: 60 });
  await clock.advanceAsync(1);
  for (const message of ['second', 'third']) await popup.ask(message, { session: message });
  await clock.advanceAsync(19_999);
  const waiting = popup.notices.findLast(({ kind }) => kind === 'waiting');
  const third = waiting?.kind === 'waiting' ? waiting.waiting[1] : undefined;
  await popup.end({ kind: 'show', id: third?.id ?? '' });
  await popup.end({ kind: 'submitted', text: 'three' });
  expect(popup.seen.filter((line) => line.startsWith('open'))).toStrictEqual([
    'open first',
    'open third',
    'open first',
  ]);
  expect(window()?.spec.question.timeout).toBe(40);
  await clock.advanceAsync(40_000);
  expect(first.now()).toBe('timeout');
});

test('the desk is passed on when the next question waits in another process', async () => {
  const { clock, ...popup } = openInbox();
  await popup.ask('first');
  await popup.ask('last');
  popup.desk.others([other({ place: 0 })]);
  await popup.end();
  expect([popup.desk.passed, popup.windows.length]).toStrictEqual([1, 0]);
  popup.desk.others([]);
  popup.desk.give(true);
  await clock.advanceAsync(0);
  expect(popup.seen.at(-1)).toBe('open last');
});

test('the desk is passed on after the window of an answer has closed, whose next question was cancelled', async () => {
  const closing = Promise.withResolvers<void>();
  let kept: Promise<void> | undefined = closing.promise.then(() => (kept = undefined));
  const { clock, window, ...popup } = openInbox({ closeKept: () => kept });
  await popup.ask('first');
  const next = await popup.ask('next');
  window()?.end({ kind: 'submitted', text: 'yes' });
  next.cancel();
  popup.desk.others([other()]);
  await clock.advanceAsync(0);
  expect([popup.windows.length, popup.desk.passed]).toStrictEqual([0, 0]);
  closing.resolve();
  await clock.advanceAsync(0);
  expect(popup.desk.passed).toBe(1);
});

const broken = async () => Promise.reject(new Error('EISDIR'));

test('a question whose process loses the desk, as one that was stopped does, goes back to the queue with its text', async () => {
  const { clock, desk, window, ...popup } = openInbox();
  const call = await popup.ask('Which one?');
  window()?.spec.onDraft('half an ans');
  desk.others([other()]);
  desk.give(false);
  await clock.advanceAsync(0);
  expect(popup.seen).toStrictEqual(['open Which one?', 'close Which one?']);
  desk.others([]);
  desk.give(true);
  await clock.advanceAsync(0);
  expect([call.now(), window()?.spec.typed]).toStrictEqual(['open', 'half an ans']);
});

test('an unreadable history or draft does not prevent a popup', async () => {
  const history = { recent: broken, add: broken };
  const drafts = { list: broken, save: broken, delete: broken };
  const { window, ...popup } = openInbox({ history, drafts });
  const call = await popup.ask('Which one?', { showsHistory: true });
  window()?.spec.onDraft('bl');
  window()?.end({ kind: 'submitted', text: 'blue' });
  expect(await call.outcome).toStrictEqual({ kind: 'submitted', text: 'blue' });
});

test.each(['waits', 'opens', 'is checked'] as const)(
  'news whose client disconnects while it %s is shown anyway, and cancelled news is not',
  async (phase) => {
    const opening = Promise.withResolvers<void>();
    const { clock, ...popup } = openInbox({ opens: () => opening.promise });
    if (phase === 'waits') await popup.ask('Which one?', { timeout: 5 });
    const calls = ['Done!', 'Never mind!'].map((message) =>
      popup.call(message, { kind: 'news', timeout: 5, session: message }),
    );
    if (phase !== 'is checked') await clock.advanceAsync(0);
    calls[0]?.disconnect();
    calls[1]?.cancel();
    opening.resolve();
    await clock.advanceAsync(20_000);
    expect(calls.map(({ now }) => now())).toStrictEqual(['abandoned', 'abandoned']);
    expect(popup.seen.slice(-2)).toStrictEqual(['open Done!', 'close Done!']);
    expect(popup.seen).not.toContain('open Never mind!');
  },
);

test('closing the inbox closes the popup, answers its caller and shows news as a notification', async () => {
  const popup = openInbox();
  const question = await popup.ask('Which one?');
  const news = await popup.ask('Done!', { kind: 'news' });
  news.disconnect();
  await popup.inbox[Symbol.asyncDispose]();
  expect([question.now(), news.now()]).toStrictEqual(['abandoned', 'abandoned']);
  expect(popup.seen).toStrictEqual(['open Which one?', 'close Which one?']);
  expect(popup.notified).toStrictEqual(['Done!']);
  expect(await popup.call('Too late?').outcome).toStrictEqual({ kind: 'abandoned' });
});

test('closing the inbox leaves the window of news to itself', async () => {
  const popup = openInbox();
  await popup.ask('Done!', { kind: 'news' });
  await popup.inbox[Symbol.asyncDispose]();
  expect([popup.left, popup.notified, popup.seen]).toStrictEqual([['Done!'], [], ['open Done!']]);
});

test.each([
  ['an obstacle', new CannotPresent('no browser was found'), 'no browser was found'],
  ['a bug', new Error('cannot read /home/ada/secret'), 'the popup failed, see the log'],
])(
  'a window that does not open because of %s tells the model only what it may know',
  async (_, error, reason) => {
    const popup = openInbox({ opens: () => Promise.reject(error) });
    const call = await popup.ask('Which one?');
    expect(await call.outcome).toStrictEqual({ kind: 'failed', reason });
  },
);

test('news that gives way while its window opens is answered, and is shown after the question', async () => {
  const opening = Promise.withResolvers<void>();
  const { clock, ...popup } = openInbox({ opens: () => opening.promise });
  const news = await popup.ask('Done!', { kind: 'news' });
  await popup.ask('Which one?');
  await clock.advanceAsync(5000);
  expect(popup.seen).toStrictEqual(['open Done!', 'close Done!', 'open Which one?']);
  expect(news.now()).toBe('waits');
  opening.resolve();
  await clock.advanceAsync(0);
  await popup.end();
  expect(popup.seen.at(-1)).toBe('open Done!');
});

test('text that the page sends while its window closes for the timeout stays as a draft', async () => {
  const { clock, window, drafts, ...popup } = openInbox();
  const call = await popup.ask('Which one?', { timeout: 5 });
  const spec = window()?.spec;
  spec?.onDraft('half');
  await clock.advanceAsync(5000);
  expect(call.now()).toBe('timeout');
  spec?.onDraft('half a sentence');
  await clock.advanceAsync(0);
  expect(await drafts.list()).toMatchObject([{ text: 'half a sentence' }]);
});
