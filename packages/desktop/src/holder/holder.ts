import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { readdir, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
// oxlint-disable-next-line eslint/no-restricted-imports -- a holder is this process
import { pid } from 'node:process';
import { StartError } from '@deskside/core/errors';
import { createFile, parseObject } from '@deskside/core/base';
import { firstLine } from './lines.ts';
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
        return latestRecord(place).number === record.number;
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
  if (introduction !== undefined && isSecret(introduction['secret'], secret))
    return accept(introduction, socket);
  if (!socket.destroyed) onRefused?.();
  socket.destroy();
}

/** Takes the same time for every wrong secret of the right length. */
function isSecret(given: unknown, secret: string): boolean {
  if (typeof given !== 'string') return false;
  const [left, right] = [Buffer.from(given), Buffer.from(secret)];
  return left.length === right.length && timingSafeEqual(left, right);
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
 * Makes a process the holder of its place, unless another one was faster, and deletes what earlier holders left.
 *
 * @returns true if other processes find this holder from now on
 */
export async function publish(place: HolderPlace, record: HolderRecord): Promise<boolean> {
  const { folder } = place;
  const { number, ...content } = record;
  const file = recordFile(folder, number);
  // No other process reads half a record.
  if (!(await createFile(file, `${JSON.stringify(content)}\n`))) return false;
  if (latestRecord(place).number === number) {
    await removeOlder(folder, record);
    return true;
  }
  // A process with a higher number was faster, and has deleted the lower ones since this one looked.
  await rm(file, { force: true });
  return false;
}

/** The numbers stay used: the highest record is never deleted. */
async function removeOlder(folder: string, { number, address }: HolderRecord): Promise<void> {
  const own = basename(address);
  const old = (await readdir(folder)).filter(
    (name) =>
      Number(/^(\d+)(?:-[\da-f]+)?\.(?:json|sock)$/.exec(name)?.[1] ?? number) < number && name !== own,
  );
  // On Windows another program may have one open. It names no holder, and the next holder deletes it.
  await Promise.all(old.map((name) => rm(join(folder, name), { force: true }).catch(() => undefined)));
}
