import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import type { OpenNews } from '../service/inbox.ts';
import { type Script, scriptedPopup } from '../testing/scripted-popup.ts';
import { simulatedClock } from '../testing/simulated-clock.ts';
import { giveToRunningHelper } from './hand-over.ts';
import { runHelper, showInTurn } from './news-helper.ts';

function news(message: string, timeout?: number): OpenNews {
  const about = { title: 'VoiceMode', theme: 'auto', showsHistory: false, chimes: true } as const;
  const request = { kind: 'news', message, caller: 'Example host', ...about } as const;
  return { request: timeout === undefined ? request : { ...request, timeout }, client: undefined };
}

/** The helper shows these messages on a scripted screen. */
function show(messages: readonly OpenNews[], script: Script = {}) {
  const clock = simulatedClock();
  const popup = scriptedPopup({ clock, ...script });
  const notified: string[] = [];
  let isOver = false;
  const notify = async ({ request }: OpenNews) => void notified.push(request.message);
  const start = () => {
    void showInTurn(messages, { inbox: popup.inbox, clock, notify }).then(() => (isOver = true));
  };
  return { clock, popup, notified, isOver: () => isOver, start };
}

test('news of a server that has ended is on the screen for 60 s, without a sound', async () => {
  const { clock, popup, notified, isOver, start } = show([news('Done!', 300)]);
  start();
  await clock.advance(59_999);
  expect([popup.seen, isOver()]).toStrictEqual([['open Done!'], false]);
  await clock.advance(1);
  expect([popup.seen, isOver()]).toStrictEqual([['open Done!', 'close Done!'], true]);
  expect([notified, popup.chimes]).toStrictEqual([[], []]);
});

test('several messages are shown in turn, and a shorter time of a message counts', async () => {
  const { clock, popup, isOver, start } = show([news('one'), news('two', 5)]);
  start();
  await clock.advance(1000);
  popup.windows[0]?.end({ kind: 'dismissed' });
  await clock.advance(4999);
  expect(popup.seen).toStrictEqual(['open one', 'close one', 'open two']);
  await clock.advance(1);
  expect([popup.seen.at(-1), isOver()]).toStrictEqual(['close two', true]);
});

test('news that waits for a question of another process for 60 s becomes a notification', async () => {
  const { clock, popup, notified, isOver, start } = show([news('one'), news('two')]);
  popup.desk.give(false);
  start();
  await clock.advance(59_999);
  expect([notified, isOver()]).toStrictEqual([[], false]);
  await clock.advance(1);
  expect([notified, isOver()]).toStrictEqual([['one', 'two'], true]);
  expect(popup.seen).toStrictEqual([]);
});

test('news that finds no window becomes a notification', async () => {
  const { clock, notified, isOver, start } = show([news('Done!')], {
    obstacle: { kind: 'no-window', reason: 'no browser' },
  });
  start();
  await clock.advance(0);
  expect([notified, isOver()]).toStrictEqual([['Done!'], true]);
});

const FILES = ['1', '2', '3'].map((digit) => `news-${digit.repeat(8)}-1111-1111-1111-111111111111.json`);
const [FIRST = '', SECOND = '', THIRD = ''] = FILES;

/** Helpers of one user, which show files until the test closes them. */
function helpers() {
  const folder = temporaryFolder();
  const clock = simulatedClock();
  const shown = new Map<string, PromiseWithResolvers<void>>();
  const isShown = Promise.withResolvers<void>();
  const showFile = (path: string) => {
    const closed = Promise.withResolvers<void>();
    shown.set(path.slice(folder.length + 1), closed);
    isShown.resolve();
    return closed.promise;
  };
  return {
    folder,
    shown,
    isShown: isShown.promise,
    run: (file: string) => runHelper(folder, file, showFile, clock),
    give: (file: string) => giveToRunningHelper(folder, file, clock),
  };
}

test('one helper shows the news of several servers, and ends with the last window', async () => {
  const { folder, shown, isShown, run, give } = helpers();
  const first = run(FIRST);
  await isShown;
  expect(await give(SECOND)).toBe(true);
  // It started at the same time as the first one.
  await run(THIRD);
  expect([...shown.keys()]).toStrictEqual(FILES);
  shown.get(FIRST)?.resolve();
  // News that cannot be read closes no other window.
  shown.get(SECOND)?.reject(new Error('ENOENT'));
  expect(await give('no-news.json')).toBe(false);
  expect(readdirSync(folder)).toStrictEqual(['news.sock']);
  shown.get(THIRD)?.resolve();
  await first;
  expect(await give(FIRST)).toBe(false);
  expect(readdirSync(folder)).toStrictEqual([]);
});

test('a helper starts although a killed helper left its socket file', async () => {
  const { folder, shown, isShown, run } = helpers();
  writeFileSync(join(folder, 'news.sock'), '');
  const ended = run(FIRST);
  await isShown;
  expect([...shown.keys()]).toStrictEqual([FIRST]);
  shown.get(FIRST)?.resolve();
  await ended;
});
