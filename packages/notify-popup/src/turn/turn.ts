import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { claim, type Turn } from './claim.ts';
import { latestClaim } from './claim-files.ts';

export type { Turn };

/** Milliseconds by which a waiter lets the one before it go first, when a turn ends. */
const COURTESY_MS = 50;

/**
 * Waits until no other popup of this user is on the desktop. Whoever has the turn listens on a socket, and
 * whoever waits is connected to it: so the end of a turn is noticed at once, even by kill −9, and the number of
 * those who wait is the number of connections.
 *
 * @throws the signal's reason when it is aborted before
 */
export async function takeTurn(folder: string, signal: AbortSignal): Promise<Turn> {
  for (;;) {
    signal.throwIfAborted();
    const latest = await latestClaim(folder);
    const holder = latest === undefined ? undefined : await reach(latest.address);
    if (holder !== undefined) {
      const position = await untilGone(holder, signal);
      await delay((position - 1) * COURTESY_MS, undefined, { signal });
      continue;
    }
    const turn = await claim(folder, latest);
    if (turn !== undefined) return turn;
  }
}

async function reach(address: string): Promise<Socket | undefined> {
  const socket = connect(address);
  // A reset is one more way for the holder to be gone; 'close' follows.
  socket.on('error', () => undefined);
  const connected = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('close', () => resolve(false));
  });
  return connected ? socket : undefined;
}

/** @returns the place in the queue that the holder last said, from 1 */
async function untilGone(holder: Socket, signal: AbortSignal): Promise<number> {
  let position = 1;
  holder.setEncoding('latin1');
  holder.on('data', (said: string) => {
    position = Number(said.trim().split('\n').at(-1)) || position;
  });
  const leave = () => holder.destroy();
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  if (!holder.closed) await new Promise<void>((resolve) => holder.once('close', () => resolve()));
  signal.removeEventListener('abort', leave);
  return position;
}
