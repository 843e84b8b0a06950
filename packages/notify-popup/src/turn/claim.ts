import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { platform } from 'node:os';
import { join } from 'node:path';
import { type ClaimFile, writeClaim } from './claim-files.ts';

/** The right to have the one popup on the desktop. */
export interface Turn {
  /** Says how many wait, now and whenever that changes. */
  onWaiting(listener: (count: number) => void): void;
  release(): void;
}

/**
 * Takes the turn after one whose holder is gone.
 *
 * @returns undefined where somebody else was quicker
 */
export async function claim(folder: string, previous: ClaimFile | undefined): Promise<Turn | undefined> {
  const waiting = new Set<Socket>();
  let tell: ((count: number) => void) | undefined;
  const changed = () => {
    [...waiting].forEach((socket, index) => socket.write(`${index + 1}\n`));
    tell?.(waiting.size);
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
    tell = undefined;
    server.close();
    for (const socket of waiting) socket.destroy();
  };
  if (!(await writeClaim(folder, { number: (previous?.number ?? 0) + 1, address }))) {
    release();
    return undefined;
  }
  // A holder that was killed left its socket behind.
  if (previous !== undefined) await rm(previous.address, { force: true });
  return {
    onWaiting(listener) {
      tell = listener;
      listener(waiting.size);
    },
    release,
  };
}

/** Short, because the path of a Unix socket may have about a hundred characters. */
function newAddress(folder: string): string {
  const id = randomUUID().slice(0, 13);
  return platform() === 'win32' ? String.raw`\\.\pipe\deskside-popup-${id}` : join(folder, `${id}.sock`);
}
