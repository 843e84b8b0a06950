import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { link, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { platform } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errnoOf } from '@deskside/core/errors';

/** How long a waiter lets each waiter before it go first after a release. */
const QUEUE_STEP_MS = 50;

/** The right to show the one popup of this user. */
export interface DesktopLock {
  /** Calls the listener with the number of waiters, now and after each change. */
  onWaitingChange(listener: (count: number) => void): void;
  release(): void;
}

/**
 * Waits until no other process of this user shows a popup. The holder listens on a socket, and every waiter connects to
 * it. So each waiter notices a release at once, even after kill -9, and the number of connections is the number of
 * waiters.
 *
 * @param folder for the locks, private to the user
 * @throws the signal's reason if it is aborted before
 */
export async function acquireLock(folder: string, signal: AbortSignal): Promise<DesktopLock> {
  for (;;) {
    signal.throwIfAborted();
    const latest = await latestRecord(folder);
    const holder = latest === undefined ? undefined : await connectTo(latest.address);
    if (holder !== undefined) {
      const position = await waitForRelease(holder, signal);
      await delay((position - 1) * QUEUE_STEP_MS, undefined, { signal });
      continue;
    }
    const lock = await tryAcquire(folder, latest);
    if (lock !== undefined) return lock;
  }
}

/** @returns undefined if the holder is gone */
async function connectTo(address: string): Promise<Socket | undefined> {
  const socket = connect(address);
  // 'close' follows every error.
  socket.on('error', () => undefined);
  const connected = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('close', () => resolve(false));
  });
  return connected ? socket : undefined;
}

/** @returns the last position in the queue that the holder sent, from 1 */
async function waitForRelease(holder: Socket, signal: AbortSignal): Promise<number> {
  let position = 1;
  holder.setEncoding('latin1');
  holder.on('data', (lines: string) => {
    position = Number(lines.trim().split('\n').at(-1)) || position;
  });
  const leave = () => holder.destroy();
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  if (!holder.closed) await new Promise<void>((resolve) => holder.once('close', () => resolve()));
  signal.removeEventListener('abort', leave);
  return position;
}

/**
 * Takes the lock after the previous holder is gone.
 *
 * @returns undefined if another process was faster
 */
async function tryAcquire(
  folder: string,
  previous: LockRecord | undefined,
): Promise<DesktopLock | undefined> {
  const waiting = new Set<Socket>();
  let report: ((count: number) => void) | undefined;
  const changed = () => {
    [...waiting].forEach((socket, index) => socket.write(`${index + 1}\n`));
    report?.(waiting.size);
  };
  const server = createServer((socket) => {
    waiting.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      waiting.delete(socket);
      changed();
    });
    socket.resume();
    changed();
  });
  const address = newAddress(folder);
  server.listen(address);
  await once(server, 'listening');
  const release = () => {
    report = undefined;
    server.close();
    for (const socket of waiting) socket.destroy();
  };
  if (!(await writeRecord(folder, { number: (previous?.number ?? 0) + 1, address }))) {
    release();
    return undefined;
  }
  // A killed holder leaves its socket file behind.
  if (previous !== undefined) await rm(previous.address, { force: true });
  return {
    onWaitingChange(listener) {
      report = listener;
      listener(waiting.size);
    },
    release,
  };
}

/** Short: the path of a Unix socket is limited to about 100 characters. */
function newAddress(folder: string): string {
  const id = randomUUID().slice(0, 13);
  return platform() === 'win32' ? String.raw`\\.\pipe\deskside-popup-${id}` : join(folder, `${id}.sock`);
}

/** One acquisition. The record with the highest number is the latest, even if its holder is dead. */
export interface LockRecord {
  readonly number: number;
  /** Where the holder listens or listened. */
  readonly address: string;
}

const RECORD_NAME = /^lock-(\d+)$/;

export async function latestRecord(folder: string): Promise<LockRecord | undefined> {
  for (;;) {
    const number = Math.max(0, ...(await recordNumbers(folder)));
    if (number === 0) return undefined;
    const address = await readIfPresent(recordFile(folder, number));
    if (address !== undefined) return { number, address };
  }
}

/**
 * Numbers only grow, because the latest record is never removed. If two processes write the same number, `link`
 * succeeds for one; a process with an old number sees a higher one afterwards.
 *
 * @returns false if another process has this number or a higher one
 */
export async function writeRecord(folder: string, { number, address }: LockRecord): Promise<boolean> {
  const draft = join(folder, `draft-${randomUUID()}`);
  await writeFile(draft, address, { mode: 0o600 });
  try {
    await link(draft, recordFile(folder, number));
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const all = await recordNumbers(folder);
  const isLatest = Math.max(...all) === number;
  const obsolete = isLatest ? all.filter((other) => other < number) : [number];
  await Promise.all(obsolete.map((other) => rm(recordFile(folder, other), { force: true })));
  return isLatest;
}

function recordFile(folder: string, number: number): string {
  return join(folder, `lock-${number}`);
}

async function recordNumbers(folder: string): Promise<number[]> {
  const names = await readdir(folder);
  return names.flatMap((name) => RECORD_NAME.exec(name)?.[1] ?? []).map(Number);
}

async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
