import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '@deskside/testkit';
import { greet } from './greet.ts';
import { hold, type HoldOptions, socketAddress } from './holder.ts';
import { parseObject } from '@deskside/core/base';
import { exchangeLines, sendLine } from './lines.ts';
import { type HolderPlace, type HolderRecord, latestRecord } from './record.ts';

const uid = process.getuid?.();
const never = new AbortController().signal;

const place = (): HolderPlace => ({ folder: temporaryFolder(), uid });

/** Becomes the holder; it answers with what it got, and ends. */
async function holdAt(at: HolderPlace, number: number, options: Partial<HoldOptions> = {}) {
  const accept = (introduction: Readonly<Record<string, unknown>>, socket: Socket) => {
    sendLine(socket, { got: introduction['name'], number });
    socket.end();
  };
  const holding = await hold(at, number, { accept, ...options });
  if (holding !== undefined) onTestFinished(() => holding.stop());
  return holding;
}

function present(at: HolderPlace): HolderRecord {
  const { record } = latestRecord(at);
  if (record === undefined) throw new Error('no record');
  return record;
}

const ask = async (record: HolderRecord, name: string) =>
  (await greet(record, { name }, parseObject, never))?.answer;

test.each([
  [
    'a wrong secret',
    (secret: string) =>
      JSON.stringify({ secret: secret.replace(/^./, (first) => (first === 'x' ? 'y' : 'x')) }),
  ],
  ['no secret', () => '{}'],
  ['no object', (secret: string) => JSON.stringify([secret])],
])('a connection that begins with %s is closed without an answer and reported', async (_, line) => {
  const at = place();
  let accepted = 0;
  let refused = 0;
  await holdAt(at, 1, { accept: () => (accepted += 1), onRefused: () => (refused += 1) });
  const { address, secret } = present(at);
  const socket = connect(address).resume();
  socket.write(`${line(secret)}\n`);
  await once(socket, 'close');
  expect([accepted, refused, socket.bytesRead]).toStrictEqual([0, 1, 0]);
});

test('a connection without a first line is closed after five seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const at = place();
  let refused = 0;
  await holdAt(at, 1, { onRefused: () => (refused += 1) });
  const silent = connect(present(at).address).resume();
  await once(silent, 'connect');
  expect(await ask(present(at), 'ada')).toMatchObject({ got: 'ada' });
  vi.advanceTimersByTime(4999);
  expect(await ask(present(at), 'grace')).toMatchObject({ got: 'grace' });
  expect(silent.closed).toBe(false);
  vi.advanceTimersByTime(1);
  await once(silent, 'close');
  expect(refused).toBe(0);
});

test('of 10 processes that want a place at once exactly one becomes the holder', async () => {
  const at = place();
  const all = await Promise.all(Array.from({ length: 10 }, () => holdAt(at, 1)));
  expect(all.filter((holding) => holding !== undefined)).toHaveLength(1);
  expect(present(at)).toMatchObject({ number: 1, pid: process.pid });
  expect(await ask(present(at), 'ada')).toStrictEqual({ got: 'ada', number: 1 });
  // The others have removed their sockets.
  expect(readdirSync(at.folder).filter((name) => name.endsWith('.sock'))).toHaveLength(1);
});

test('a holder notices that another one has followed', async () => {
  const at = place();
  const first = await holdAt(at, 1);
  expect(first?.isLatest()).toBe(true);
  const second = await holdAt(at, 2);
  expect([first?.isLatest(), second?.isLatest()]).toStrictEqual([false, true]);
  expect(await ask(present(at), 'ada')).toMatchObject({ number: 2 });
  expect(await holdAt(at, 1)).toBeUndefined();
});

test('a holder that has stopped takes no connection, and its open ones stay', async () => {
  const at = place();
  const holding = await holdAt(at, 1, {
    accept(_introduction, socket) {
      const send = exchangeLines(socket, (message) => send({ echo: message }));
      send({});
    },
  });
  const record = present(at);
  const greeting = await greet(record, {}, parseObject, never);
  if (greeting === undefined) throw new Error('no answer');
  onTestFinished(() => void greeting.socket.destroy());
  holding?.stop();
  expect(await greet(record, {}, parseObject, never)).toBeUndefined();
  const got: unknown[] = [];
  exchangeLines(greeting.socket, (message) => got.push(message))({ a: 1 });
  await expect.poll(() => got).toStrictEqual([{ echo: { a: 1 } }]);
});

test('a greeting ends with the signal, and closes its connection', async () => {
  const at = place();
  const address = join(at.folder, 'silent.sock');
  const server = createServer().listen(address);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const record = { number: 1, address, secret: 'a secret of a good length', pid: 1 };
  await expect(greet(record, {}, parseObject, AbortSignal.abort(new Error('late')))).rejects.toThrow('late');
  const stop = new AbortController();
  const greeting = greet(record, {}, parseObject, stop.signal);
  const [far] = (await once(server, 'connection')) as [Socket];
  stop.abort(new Error('too late'));
  await expect(greeting).rejects.toThrow('too late');
  await once(far.resume(), 'close');
});

test('a connection to a program that answers something else is closed', async () => {
  const at = place();
  const closed = Promise.withResolvers<void>();
  await holdAt(at, 1, {
    accept(_introduction, socket) {
      socket.on('close', () => closed.resolve()).resume();
      sendLine(socket, { unknown: true });
    },
  });
  expect(await greet(present(at), {}, () => undefined, never)).toBeUndefined();
  await closed.promise;
});

test('on Windows the address is a pipe', () => {
  const folder = String.raw`C:\Users\ada\AppData\Local\deskside\Data\desk`;
  expect(socketAddress({ folder, uid: undefined }, '3-0a1b2c3d')).toBe(
    String.raw`\\.\pipe\deskside-3-0a1b2c3d`,
  );
});

test.skipIf(uid === undefined)(
  'a folder with a long path has its socket in the private temporary folder',
  async () => {
    const at = place();
    // The name of a socket of the first holder, with its separator.
    const rest = 103 - at.folder.length - '/1-0a1b2c3d.sock'.length - 1;
    const fits = { folder: join(at.folder, 'x'.repeat(rest)), uid };
    const long = { folder: join(at.folder, 'x'.repeat(rest + 1)), uid };
    expect(socketAddress(fits, '1-0a1b2c3d')).toBe(join(fits.folder, '1-0a1b2c3d.sock'));
    mkdirSync(long.folder, { mode: 0o700 });
    const holding = await holdAt(long, 1);
    const { address } = present(long);
    expect(address).toContain(`deskside-${uid}`);
    expect(Buffer.byteLength(address)).toBeLessThan(104);
    expect(await ask(present(long), 'ada')).toMatchObject({ got: 'ada' });
    holding?.stop();
    expect(existsSync(address)).toBe(false);
  },
);

test.skipIf(uid === undefined)(
  'the temporary folder must be private, and its path short enough',
  async () => {
    const at = place();
    const long = { folder: join(at.folder, 'x'.repeat(100)), uid };
    vi.stubEnv('TMPDIR', at.folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const temporary = join(at.folder, `deskside-${uid}`);
    mkdirSync(temporary);
    chmodSync(temporary, 0o755);
    await expect(hold(long, 1, { accept: () => undefined })).rejects.toThrow(
      /Other users can use .*chmod 700/,
    );
    vi.stubEnv('TMPDIR', join(at.folder, 'x'.repeat(100)));
    await expect(hold(long, 1, { accept: () => undefined })).rejects.toThrow(/too long for a socket/);
  },
);

test.skipIf(uid === undefined)('a holder whose record cannot be written listens no more', async () => {
  const number = 1e9 + process.pid;
  // Too long for a socket, so that only the record fails.
  const at = { folder: join(place().folder, 'x'.repeat(107)), uid };
  writeFileSync(at.folder, '');
  await expect(hold(at, number, { accept: () => undefined })).rejects.toThrow(/EEXIST/);
  const sockets = readdirSync(join(tmpdir(), `deskside-${uid}`));
  expect(sockets.filter((name) => name.startsWith(`${number}-`))).toStrictEqual([]);
});
