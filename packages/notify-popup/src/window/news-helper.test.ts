import { fixedClock } from '@deskside/testkit';
import { expect, test } from 'vitest';
import type { OpenNews } from '../service/own-news.ts';
import { type Script, scriptedPopup } from '../testing/scripted-popup.ts';
import { showInTurn } from './news-helper.ts';

function news(message: string, timeout?: number): OpenNews {
  const about = { title: 'VoiceMode', theme: 'auto', showsHistory: false, chimes: true } as const;
  const request = { kind: 'news', message, caller: 'Example host', ...about } as const;
  return { request: timeout === undefined ? request : { ...request, timeout }, client: undefined };
}

/** The helper shows these messages on a scripted screen. */
function show(messages: readonly OpenNews[], script: Script = {}) {
  const clock = fixedClock('2026-03-01T10:00:00Z');
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
  await clock.advanceAsync(59_999);
  expect([popup.seen, isOver()]).toStrictEqual([['open Done!'], false]);
  await clock.advanceAsync(1);
  expect([popup.seen, isOver()]).toStrictEqual([['open Done!', 'close Done!'], true]);
  expect([notified, popup.chimes]).toStrictEqual([[], []]);
});

test('several messages are shown in turn, and a shorter time of a message counts', async () => {
  const { clock, popup, isOver, start } = show([news('one'), news('two', 5)]);
  start();
  await clock.advanceAsync(1000);
  popup.windows[0]?.end({ kind: 'dismissed' });
  await clock.advanceAsync(4999);
  expect(popup.seen).toStrictEqual(['open one', 'close one', 'open two']);
  await clock.advanceAsync(1);
  expect([popup.seen.at(-1), isOver()]).toStrictEqual(['close two', true]);
});

test('news that waits for a question of another process for 60 s becomes a notification', async () => {
  const { clock, popup, notified, isOver, start } = show([news('one'), news('two')]);
  popup.desk.give(false);
  start();
  await clock.advanceAsync(59_999);
  expect([notified, isOver()]).toStrictEqual([[], false]);
  await clock.advanceAsync(1);
  expect([notified, isOver()]).toStrictEqual([['one', 'two'], true]);
  expect(popup.seen).toStrictEqual([]);
});

test('news that finds no window becomes a notification', async () => {
  const { clock, notified, isOver, start } = show([news('Done!')], {
    obstacle: { kind: 'failed', reason: 'no browser' },
  });
  start();
  await clock.advanceAsync(0);
  expect([notified, isOver()]).toStrictEqual([['Done!'], true]);
});
