import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type HolderPlace, latestRecord, openFolder } from '@deskside/desktop';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { attachDesk, HELLO } from '../testing/attach-desk.ts';
import { SELF } from '../testing/commands.ts';
import { attachedStdio } from './client.ts';
import { deskPlace, sentenceOf } from './protocol.ts';
import { reachDesk, type Reached, type Search } from './reach.ts';

const uid = process.getuid?.();

function desk() {
  const data = temporaryFolder();
  const place = deskPlace(data, { uid });
  let starts = 0;
  const start = async (version: string) => {
    starts += 1;
    await attachDesk(data, { self: { ...SELF, version } });
  };
  const reach = async (version: string, search: Partial<Search> = {}): Promise<Reached> => {
    const reached = await reachDesk({
      place,
      introduction: { ...HELLO, version },
      start: () => start(version),
      timeoutMs: 60_000,
      logFile: '/log',
      ...search,
    });
    if ('socket' in reached) onTestFinished(() => void reached.socket.destroy());
    return reached;
  };
  return { place, reach, starts: () => starts };
}

test.runIf(uid !== undefined)(
  'a folder of sockets that others can use is named, and no desk starts',
  async () => {
    const temporary = temporaryFolder();
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('TMPDIR', temporary);
    mkdirSync(join(temporary, `deskside-${uid}`));
    chmodSync(join(temporary, `deskside-${uid}`), 0o777);
    const { reach, starts, place } = desk();
    const deep = { ...place, folder: join(place.folder, 'x'.repeat(100)) };
    const reached = await reach('1.0.0', { place: deep });
    const reason = expect.stringContaining(`Run: chmod 700 ${join(temporary, `deskside-${uid}`)}`);
    expect(reached).toStrictEqual({ reason });
    // The command can be pasted.
    if ('reason' in reached) expect(sentenceOf(reached.reason)).toMatch(/\d$/);
    expect(starts()).toBe(0);
  },
);

test('a folder of the desk that cannot be created is named, and no desk starts', async () => {
  const { place, reach, starts } = desk();
  writeFileSync(join(place.folder, '../file'), '');
  const gone = { ...place, folder: join(place.folder, '../file/desk') };
  expect(await reach('1.0.0', { place: gone })).toStrictEqual({
    reason: expect.stringMatching(/^the desk cannot be reached \(/),
  });
  expect(starts()).toBe(0);
});

test('the first client starts a desk, which the next one uses; a newer client starts a newer desk, which older clients use', async () => {
  const { reach, starts } = desk();
  for (const version of ['1.0.0', '1.0.0', '1.1.0', '1.0.0', '1.1.0'])
    expect(await reach(version)).toHaveProperty('socket');
  expect(starts()).toBe(2);
});

test('a desk that never starts is given up', async () => {
  let starts = 0;
  const start = async () => {
    starts += 1;
  };
  expect(await desk().reach('1.0.0', { start })).toStrictEqual({
    reason: 'the desk does not start, see /log',
  });
  expect(starts).toBe(3);
});

async function untilAborted(signal: AbortSignal): Promise<void> {
  await once(signal, 'abort');
}

test('a desk that starts too slowly is given up at the time limit', async () => {
  expect(await desk().reach('1.0.0', { start: untilAborted, timeoutMs: 5 })).toStrictEqual({
    reason: 'no desk answered within 0.005 s',
  });
});

function writeRecord({ folder }: HolderPlace, address: string): void {
  const record = { address, secret: 'a secret of a good length', pid: 1 };
  writeFileSync(join(folder, '1.json'), JSON.stringify(record), { mode: 0o600 });
}

/** A program at the desk's address that is not a desk. */
async function publishStranger(place: HolderPlace, serve: (socket: Socket) => void): Promise<void> {
  openFolder(place.folder);
  const address = join(place.folder, '1-strange.sock');
  const stranger = createServer((socket) => {
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => undefined);
    serve(socket);
  }).listen(address);
  onTestFinished(() => void stranger.close());
  await once(stranger, 'listening');
  writeRecord(place, address);
}

test.each([
  ['does not answer', () => undefined],
  ['starts an answer and does not end it', (socket: Socket) => void socket.write('{"kind":')],
])('a desk that accepts connections and %s is given up at the time limit', async (_, serve) => {
  const { place, reach, starts } = desk();
  await publishStranger(place, serve);
  expect(await reach('1.0.0', { timeoutMs: 50 })).toStrictEqual({ reason: 'no desk answered within 0.05 s' });
  expect(starts()).toBe(0);
});

test.each([
  ['closes each connection', (socket: Socket) => void socket.destroy()],
  ['sends something else', (socket: Socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ['answers with what no desk says', (socket: Socket) => void socket.write('{"kind":"hello"}\n')],
])('a desk that %s is replaced', async (_, serve) => {
  const { place, reach, starts } = desk();
  await publishStranger(place, serve);
  expect(await reach('1.0.0')).toHaveProperty('socket');
  expect(starts()).toBe(1);
  expect(latestRecord(place).number).toBe(2);
});

test('on a Node.js that is too old, the whole program runs and says so, also beside a desk', async () => {
  const host = { argv: ['node', 'deskside', 'stdio'], env: {}, versions: { node: '22.12.0' } };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else is read
  expect(await attachedStdio(host as unknown as NodeJS.Process, '1.0.0')).toStrictEqual({});
});
