import { fixedClock, temporaryFolder } from '@deskside/testkit';
import { createLog } from '@deskside/core';
import { openJournal } from '@deskside/desktop';
import { expect, onTestFinished, test } from 'vitest';
import { createNotification } from '../notification/notification.ts';
import { seenInTerminal } from '../tail/seen.ts';
import { Missed } from './missed.ts';

const START = '2026-11-22T10:02:00Z';

function place() {
  const clock = fixedClock(START);
  const folder = temporaryFolder();
  const log = createLog({ level: 'error', write: (text) => expect.unreachable(text) });
  const open = () => openJournal({ places: { state: folder, runtime: [] }, log, clock });
  const journal = open();
  onTestFinished(async () => journal[Symbol.asyncDispose]());
  const missed = new Missed(journal);
  const send = (id: string, message: string, caller = 'a', level: 'info' | 'warn' | 'error' = 'warn') => {
    const input = { id, level, context: 'llm', message } as const;
    const item = journal.begin({ id, kind: 'notification', caller: 'Codex', user: 'owner' });
    item.end('delivered');
    missed.watch(id, createNotification(input, clock.now().getTime()), caller);
  };
  /** The other process writes after some time. */
  const isWritten = async (id: string) => {
    clock.advance(10);
    return missed.isSeen(id);
  };
  return {
    clock,
    isWritten,
    journal,
    missed,
    open,
    send,
    ask: (caller = 'a') => missed.sentence(caller, clock.now()),
  };
}

test('an agent learns after a minute which of its warnings and errors the person has not seen', async () => {
  const { clock, missed, send, ask } = place();
  send('1', 'Back up first\nthen go');
  send('2', 'only a status', 'a', 'info');
  send('3', 'of another agent', 'b', 'error');
  expect(await ask()).toBeUndefined();
  clock.advance(60_000);
  // Some zones have a quarter of an hour.
  const time = /^The person has not seen a warning of \d\d:[0-4][27]: "Back up first\\nthen go"$/;
  expect(await ask()).toMatch(time);
  send('4', 'x'.repeat(500), 'a', 'error');
  clock.advance(60_000);
  expect(await ask()).toMatch(
    /^The person has not seen 2 of your notifications\. The last one is an error of \d\d:[0-4][38]: "x{120}"$/,
  );
  missed.onSeen({ id: '4' });
  expect(await ask()).toMatch(time);
  // On another day with the date.
  clock.advance(3 * 86_400_000);
  expect(await ask()).toMatch(/ a warning of 2026-11-2\d \d\d:[0-4][27]: "Back up first\\nthen go"$/);
});

test('what the person saw on the desktop, or in a terminal or on the page of another process, is not missed, and the journal says where', async () => {
  const { clock, isWritten, journal, missed, open, send, ask } = place();
  send('1', 'one');
  send('2', 'two');
  send('3', 'three', 'a', 'error');
  clock.advance(60_000);
  missed.onSeen({ id: '1', caller: 'Codex' });
  expect(await missed.isSeen('1')).toBe(true);
  expect(await missed.isSeen('2')).toBe(false);
  await using seen = seenInTerminal({ journal: open(), idleMs: async () => 0, clock });
  seen.add({ id: '2' });
  clock.advance(0);
  await expect.poll(async () => isWritten('2')).toBe(true);
  await using page = open();
  const [, , third] = await page.records();
  expect(await missed.isSeen('3')).toBe(false);
  if (third !== undefined) page.begin(third).seen('page');
  expect(await isWritten('3')).toBe(true);
  expect(await ask()).toBeUndefined();
  const records = await journal.records();
  expect(records.map(({ caller, outcome, via }) => [caller, outcome, via])).toStrictEqual([
    ['Codex', 'delivered', 'desktop'],
    ['Codex', 'delivered', 'terminal'],
    ['Codex', 'delivered', 'page'],
  ]);
});

test('what a terminal shows before the journal has it is seen as soon as the person uses the computer again', async () => {
  const { clock, isWritten, open, send } = place();
  let idleMs = 0;
  let looks = 0;
  const idle = async () => {
    looks += 1;
    return idleMs;
  };
  const journal = open();
  await using seen = seenInTerminal({ journal, idleMs: idle, clock });
  clock.advance(200_000);
  seen.add({ id: '1' });
  clock.advance(0);
  await expect.poll(() => looks).toBe(1);
  // After what it reads.
  expect(await journal.records()).toStrictEqual([]);
  idleMs = 3_600_000;
  send('1', 'one');
  // It looks again only if something waits.
  await expect
    .poll(() => {
      clock.advance(5000);
      return looks;
    })
    .toBeGreaterThan(1);
  expect(await isWritten('1')).toBe(false);
  idleMs = 1000;
  await expect
    .poll(async () => {
      clock.advance(5000);
      return isWritten('1');
    })
    .toBe(true);
});
