import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// oxlint-disable-next-line eslint/no-restricted-imports -- a holder is this process
import { pid } from 'node:process';
import { StartError } from '@deskside/core/errors';
import { parseObject, replaceFile } from '@deskside/core/base';
import { firstLine } from './lines.ts';
import { digestOf } from '../files/digest.ts';
import { whileLocked } from '../files/lock.ts';
import { openFolder } from '../files/owner.ts';
import { type HolderPlace, type HolderRecord, latestRecord, recordFile } from './record.ts';

/** The shortest limit for the path of a Unix socket (macOS), without the final zero byte. */
const MAX_SOCKET_PATH_BYTES = 103;
/** For the first line of a connection. */
const GREETING_MS = 5000;
const SECRET_BYTES = 32;

export interface HoldOptions {
  /**
   * A process of this user has connected. The socket is paused. If the other side ends its input, Node.js ends the
   * connection, unless `allowHalfOpen` of the socket is set at once.
   *
   * @param introduction the first line, with the secret
   */
  readonly accept: (introduction: Readonly<Record<string, unknown>>, socket: Socket) => void;
  /** A connection has failed. */
  readonly onError?: (error: Error) => void;
  /** A connection was closed, because its first line is not a JSON object with the secret. */
  readonly onRefused?: () => void;
}

/** What the holder of a place has until it stops. */
export interface Holding {
  /**
   * False if other processes do not find this holder: another one has become the holder, for example while this one was
   * stopped, or other users can use the folder.
   */
  isLatest(): boolean;
  /** Takes no new connection. The open ones stay. */
  stop(): void;
}

/**
 * Becomes the holder of a place, if no other process is faster.
 *
 * @param number one above that of the latest record
 * @returns undefined if another process has taken the number or a higher one
 * @throws StartError if no folder has a path that is short enough for a socket, or if other users can use the folder;
 *   the system's error
 */
export async function hold(
  place: HolderPlace,
  number: number,
  options: HoldOptions,
): Promise<Holding | undefined> {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const server = createServer((socket) => void welcome(socket, secret, options));
  const address = socketAddress(place, `${number}-${randomUUID().slice(0, 8)}`);
  server.listen(address);
  await once(server, 'listening');
  const record: HolderRecord = { number, address, secret, pid };
  let isHolder = false;
  try {
    isHolder = await publish(place, record);
  } finally {
    // Also if the record cannot be written: a server that listens keeps the process alive.
    if (!isHolder) server.close();
  }
  if (!isHolder) return undefined;
  return {
    isLatest() {
      try {
        return latestRecord(place).record?.secret === secret;
      } catch {
        return false;
      }
    },
    stop: () => void server.close(),
  };
}

async function welcome(
  socket: Socket,
  secret: string,
  { accept, onError, onRefused }: HoldOptions,
): Promise<void> {
  socket.on('error', (error) => onError?.(error));
  const limit = setTimeout(() => socket.destroy(), GREETING_MS);
  const line = await firstLine(socket);
  clearTimeout(limit);
  const introduction = line === undefined ? undefined : parseObject(line);
  // Digests: to compare them takes a time that says nothing of the secret.
  if (introduction !== undefined && digestOf(introduction['secret'] ?? '') === digestOf(secret))
    return accept(introduction, socket);
  if (!socket.destroyed) onRefused?.();
  socket.destroy();
}

/**
 * @param name of the socket, without its extension
 * @throws as `hold`
 */
export function socketAddress({ folder, uid }: HolderPlace, name: string): string {
  // The system gives other users no write access to a pipe, and `latestRecord` trusts no pipe of a process that has ended.
  if (uid === undefined) return String.raw`\\.\pipe\deskside-${name}`;
  const temporary = join(tmpdir(), `deskside-${uid}`);
  for (const parent of [folder, temporary]) {
    const path = join(parent, `${name}.sock`);
    if (Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES) continue;
    if (parent === temporary) openFolder(temporary, uid);
    return path;
  }
  throw new StartError(`The path of the folder ${folder} is too long for a socket, and so is ${temporary}.`);
}

/**
 * Makes a process the holder of its place, unless another one was faster, and deletes the socket of the holder before.
 *
 * @returns true if other processes find this holder from now on
 */
export async function publish(place: HolderPlace, record: HolderRecord): Promise<boolean> {
  const file = recordFile(place);
  return whileLocked(file, async () => {
    const before = latestRecord(place);
    if (before.number >= record.number) return false;
    await replaceFile(file, `${JSON.stringify(record)}\n`);
    // A pipe of Windows ends with its process.
    if (before.record !== undefined && place.uid !== undefined)
      await rm(before.record.address, { force: true });
    return true;
  });
}
