import { once } from 'node:events';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { connect, type NetConnectOpts } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type LoopbackOptions, peerUid, serveLoopback } from './loopback.ts';

function onError(error: unknown): void {
  expect.unreachable(String(error));
}

/** A page that counts its requests. */
async function openPage(uidOf: LoopbackOptions['uidOf']) {
  const handle = vi.fn<LoopbackOptions['handle']>(async (_request, response) => void response.end('page'));
  const { origin, close } = await serveLoopback({ contentSecurityPolicy: '', handle, onError, uidOf });
  onTestFinished(close);
  return { origin, handle };
}

/** The map of a user namespace with all users of the machine. */
const ALL_USERS = '         0          0 4294967295\n';

/** The files of a process in a user namespace with this map. */
function inUserNamespace(map: string) {
  const read = fs.readFileSync;
  const files: Readonly<Record<string, string>> = {
    '/proc/self/uid_map': map,
    '/proc/sys/kernel/overflowuid': '65534\n',
  };
  const mock = vi
    .spyOn(fs, 'readFileSync')
    .mockImplementation((path, options) => files[String(path)] ?? read(path, options));
  syncBuiltinESMExports();
  onTestFinished(() => {
    mock.mockRestore();
    syncBuiltinESMExports();
  });
}

/**
 * The status of two requests on one connection.
 *
 * @param uid who connects, as far as the tests may choose it
 */
async function answersTo(
  origin: string,
  options: Partial<NetConnectOpts> = {},
  uid?: number,
): Promise<number[]> {
  const { host, hostname, port } = new URL(origin);
  if (uid !== undefined) process.seteuid?.(uid);
  const socket = connect({ host: hostname, port: Number(port), ...options });
  await once(socket, 'connect').finally(() => uid !== undefined && process.seteuid?.(0));
  const request = `GET / HTTP/1.1\r\nhost: ${host}\r\n`;
  socket.write(`${request}\r\n${request}connection: close\r\n\r\n`);
  const answers = await text(socket);
  return Array.from(answers.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => Number(status));
}

test.each([
  ['of this user', process.getuid?.(), 200],
  ['of root', 0, 200],
  ['of an unknown user', undefined, 200],
  ['of another user', 4711, 403],
  ['of nobody', 65_534, 403],
  ['of a program that has ended', -1, 403],
])('who has opened a connection is asked once: requests %s (%s) get %s', async (_, uid, status) => {
  inUserNamespace(ALL_USERS);
  const uidOf = vi.fn<() => number | undefined>(() => uid);
  const { origin, handle } = await openPage(uidOf);
  expect(await answersTo(origin)).toStrictEqual(status === 200 ? [200, 200] : [403]);
  expect(handle).toHaveBeenCalledTimes(status === 200 ? 2 : 0);
  expect(uidOf).toHaveBeenCalledOnce();
});

test('in a user namespace, a user that it does not map can be a program that forwards the port', async () => {
  inUserNamespace('         0       1000          1\n');
  const forwarded = await openPage(() => 65_534);
  expect((await fetch(forwarded.origin)).status).toBe(200);
  const other = await openPage(() => 4711);
  expect((await fetch(other.origin)).status).toBe(403);
});

const WAYS = [
  ['from 127.0.0.1', {}],
  ['from another address of this machine', { localAddress: '127.0.0.2' }],
  ['with a socket of IPv6', { host: '::ffff:127.0.0.1' }],
] as const;

test.skipIf(process.platform !== 'linux').each(WAYS)(
  'the system knows the user of a connection %s',
  async (_, way) => {
    const { origin } = await openPage(peerUid);
    expect(await answersTo(origin, way)).toStrictEqual([200, 200]);
  },
);

/** Only such a process can be another user. */
const isRoot =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  fs.readFileSync('/proc/self/uid_map', 'utf8') === ALL_USERS;

test.skipIf(!isRoot).each(WAYS)('another user who connects %s is refused', async (_, way) => {
  const { origin, handle } = await openPage(peerUid);
  expect(await answersTo(origin, way, 4711)).toStrictEqual([403]);
  expect(handle).not.toHaveBeenCalled();
});
