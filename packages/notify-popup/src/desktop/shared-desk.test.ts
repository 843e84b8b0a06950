import { rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { hold, sendLine } from '@deskside/desktop';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import type { DeskItem } from './desk.ts';
import { type Desk, SharedDesk } from './shared-desk.ts';

function openDesk(folder: string): Desk {
  const desk = new SharedDesk(async () => ({ folder, uid: process.getuid?.() }));
  onTestFinished(async () => desk[Symbol.asyncDispose]());
  return desk;
}

function item({ process }: Desk, id: string, changes: Partial<DeskItem> = {}): DeskItem {
  const since = '2026-03-01T10:00:00.000Z';
  return {
    id,
    process,
    kind: 'question',
    caller: 'Example host',
    since,
    firstLine: id,
    place: 1,
    ...changes,
  };
}

const idsOf = ({ items }: Desk) => items.map(({ id }) => id);

/** Waits for the desk with one item. The promise resolves when it is the turn of the item. */
function wait(desk: Desk, waiting: DeskItem): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => {
    if (!desk.isOurs || desk.items[0]?.id !== waiting.id) return desk.pass();
    desk.onChange = () => undefined;
    resolve();
  };
  desk.onChange = look;
  desk.offer([waiting]);
  look();
  return promise;
}

/** The popup is closed. */
function finish(desk: Desk): void {
  desk.onChange = () => desk.pass();
  desk.offer([]);
  desk.pass();
}

test('25 processes get the desk one after the other, in the order of their places, after the end of the first holder', async () => {
  const folder = temporaryFolder();
  const first = openDesk(folder);
  await wait(first, item(first, 'first'));
  first.offer([]);
  let holders = 0;
  let most = 0;
  const order: number[] = [];
  const places = Array.from({ length: 25 }, (_, index) => ((7 * index) % 25) + 1);
  const all = places.map(async (place) => {
    const desk = openDesk(folder);
    await wait(desk, item(desk, `item ${place}`, { place }));
    holders += 1;
    most = Math.max(most, holders);
    order.push(place);
    // A person needs longer than the others to connect.
    await expect.poll(() => desk.items.length, { interval: 5 }).toBe(26 - order.length);
    holders -= 1;
    finish(desk);
  });
  await expect.poll(() => first.items.length).toBe(25);
  await first[Symbol.asyncDispose]();
  await Promise.all(all);
  expect(order).toStrictEqual(places.toSorted((a, b) => a - b));
  expect(most).toBe(1);
});

test('the process that has the desk knows what waits in all of them, questions before news', async () => {
  const folder = temporaryFolder();
  const [holder, second, third] = [openDesk(folder), openDesk(folder), openDesk(folder)];
  await wait(holder, item(holder, 'shown'));
  holder.offer([]);
  second.offer([item(second, 'news', { kind: 'news', place: 1 }), item(second, 'later', { place: 3 })]);
  third.offer([item(third, 'earlier', { place: 2 })]);
  await expect.poll(() => idsOf(holder)).toStrictEqual(['earlier', 'later', 'news']);
  // The others are told so.
  await expect.poll(() => [holder.isOurs, second.isWaiting, third.isWaiting]).not.toContain(false);
  second.offer([]);
  await expect.poll(() => idsOf(holder)).toStrictEqual(['earlier']);
});

test('a process whose item ends, and that asks again at once, waits for the holder again', async () => {
  const folder = temporaryFolder();
  const [holder, other] = [openDesk(folder), openDesk(folder)];
  await wait(holder, item(holder, 'shown'));
  holder.offer([]);
  other.offer([item(other, 'news', { kind: 'news' })]);
  await expect.poll(() => idsOf(holder)).toStrictEqual(['news']);
  other.offer([]);
  other.offer([item(other, 'question')]);
  await expect
    .poll(() => [holder.isOurs, other.isOurs, idsOf(holder)])
    .toStrictEqual([true, false, ['question']]);
});

test('a holder that closes a connection, as a busy one does, keeps the desk', async () => {
  const folder = temporaryFolder();
  const desk = openDesk(folder);
  let connections = 0;
  const holding = await hold({ folder, uid: process.getuid?.() }, 1, {
    accept(_, socket) {
      connections += 1;
      if (connections === 1) socket.destroy();
      else sendLine(socket, { next: '' });
    },
  });
  onTestFinished(() => holding?.stop());
  desk.offer([item(desk, 'waits')]);
  await expect.poll(() => desk.isWaiting || desk.isOurs).toBe(true);
  expect(desk.isOurs).toBe(false);
});

test('a process that cannot use the folder any more shows its popups without an order', async () => {
  const folder = temporaryFolder();
  const desk = openDesk(folder);
  const sockets: Socket[] = [];
  const holding = await hold({ folder, uid: process.getuid?.() }, 1, {
    accept(_, socket) {
      sockets.push(socket);
      sendLine(socket, { next: 'another' });
    },
  });
  desk.offer([item(desk, 'ours', { place: 5 })]);
  await expect.poll(() => desk.isWaiting).toBe(true);
  rmSync(folder, { recursive: true });
  holding?.stop();
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => desk.isOurs, { timeout: 3000 }).toBe(true);
});

test('a process that was alone waits for others again when the folder can be used', async () => {
  const folder = temporaryFolder();
  let isBroken = true;
  const desk = new SharedDesk(async () => {
    if (isBroken) throw new Error('ENOSPC');
    return { folder, uid: process.getuid?.() };
  });
  onTestFinished(async () => desk[Symbol.asyncDispose]());
  await wait(desk, item(desk, 'alone'));
  finish(desk);
  isBroken = false;
  const holder = openDesk(folder);
  await wait(holder, item(holder, 'shown'));
  holder.offer([]);
  desk.offer([item(desk, 'next')]);
  await expect.poll(() => desk.isWaiting).toBe(true);
  expect(desk.isOurs).toBe(false);
});
