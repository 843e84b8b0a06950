import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { isAbsolute, join } from 'node:path';
import { connectX11 } from '../x11/connection.ts';
import type { SystemInfo } from './system.ts';

const PROBE_TIMEOUT_MS = 300;

/** True if this process can show a window to a person. It connects: a display variable alone proves nothing. */
export async function hasDisplay(system: SystemInfo): Promise<boolean> {
  const { platform, env } = system;
  if (platform === 'darwin') return (await outputOf('launchctl', ['managername'])).trim() === 'Aqua';
  // Windows services run in a session without a desktop.
  if (platform === 'win32') return env['SESSIONNAME'] !== 'Services';
  const found = await Promise.all([hasX11(system), hasWayland(env)]);
  return found.includes(true);
}

async function hasX11(system: SystemInfo): Promise<boolean> {
  using x11 = await connectX11(system, PROBE_TIMEOUT_MS);
  return x11 !== undefined;
}

async function hasWayland(env: SystemInfo['env']): Promise<boolean> {
  const { WAYLAND_DISPLAY: display, XDG_RUNTIME_DIR: folder } = env;
  if (!display || (!folder && !isAbsolute(display))) return false;
  const socket = connect(isAbsolute(display) ? display : join(folder ?? '', display));
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    return true;
  } catch {
    return false;
  } finally {
    socket.on('error', () => undefined).destroy();
  }
}

/** @returns '' if the command fails */
function outputOf(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(command, args, { timeout: PROBE_TIMEOUT_MS }, (_, stdout) => resolve(stdout));
  });
}
