import { connect } from 'node:net';
import { readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** Milliseconds a browser may take to answer. */
const PATIENCE_MS = 1000;

/**
 * Hands a command line to the browser that runs in a profile, as a second start of the program would, without the
 * tenth of a second that one costs. It is Chromium's own way between its processes on Linux and macOS, and no
 * promise of its: where it fails, start a browser.
 *
 * @returns whether the browser took it
 */
export async function handOver(profile: string, args: readonly string[]): Promise<boolean> {
  const path = await readlink(join(profile, 'SingletonSocket')).catch(() => undefined);
  if (path === undefined) return false;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(path);
  socket.setTimeout(PATIENCE_MS, () => resolve(false));
  socket.on('error', () => resolve(false));
  socket.on('close', () => resolve(false));
  socket.on('data', (answer) => resolve(answer.toString('latin1').startsWith('ACK')));
  socket.end(['START', profile, 'chromium', ...args].join('\0'));
  const isTaken = await promise;
  socket.destroy();
  return isTaken;
}
