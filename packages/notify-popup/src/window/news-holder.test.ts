import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { basename, join } from 'node:path';
import { fixedClock, temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { giveToHelper, runHelper } from './news-holder.ts';

const FILES = ['1', '2', '3'].map((digit) => `news-${digit.repeat(8)}-1111-1111-1111-111111111111.json`);
const [FIRST = '', SECOND = '', THIRD = ''] = FILES;

/** Helpers of one user, which show files until the test closes them. */
function helpers() {
  const place = { folder: temporaryFolder(), uid: process.getuid?.() };
  const clock = fixedClock('2026-03-01T10:00:00Z');
  const shown = new Map<string, PromiseWithResolvers<void>>();
  const isShown = Promise.withResolvers<void>();
  const showFile = (path: string) => {
    const closed = Promise.withResolvers<void>();
    shown.set(basename(path), closed);
    isShown.resolve();
    return closed.promise;
  };
  return {
    place,
    clock,
    shown,
    isShown: isShown.promise,
    run: (file: string) => runHelper(place, file, showFile, clock),
    give: (file: string) => giveToHelper(place, file, clock),
  };
}

test('one helper shows the news of several servers, and ends with the last window', async () => {
  const { place, shown, isShown, run, give } = helpers();
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
  shown.get(THIRD)?.resolve();
  await first;
  expect(await give(FIRST)).toBe(false);
  expect(readdirSync(place.folder)).toStrictEqual(['1.json']);
});

test.each([
  ['was killed', undefined],
  ['does not answer', (server: Server) => void server],
  ['closes each connection', (server: Server) => void server.on('connection', (socket) => socket.destroy())],
])('a new helper takes over from one that %s', async (_, serve) => {
  const { place, clock, shown, isShown, run } = helpers();
  const address = join(place.folder, '1-0a1b2c3d.sock');
  if (serve !== undefined) {
    const server = createServer().listen(address);
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    serve(server);
  }
  const record = { address, secret: 'a secret of a good length', pid: process.pid };
  writeFileSync(join(place.folder, '1.json'), JSON.stringify(record), { mode: 0o600 });
  const ended = run(FIRST);
  await clock.advanceAsync(200);
  await isShown;
  expect([...shown.keys()]).toStrictEqual([FIRST]);
  shown.get(FIRST)?.resolve();
  await ended;
});
