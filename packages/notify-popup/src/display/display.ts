import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { isAbsolute, join } from 'node:path';
import type { Machine } from '../machine/machine.ts';
import { connectX11 } from '../x11/x11-connection.ts';

/** Milliseconds a probe may take. */
const PATIENCE = 300;

/** Whether this process can put a window before a person. A display that is only named but not there counts as none. */
export async function hasDisplay(machine: Machine): Promise<boolean> {
  const { platform, env } = machine;
  if (platform === 'darwin') return (await output('launchctl', ['managername'])).trim() === 'Aqua';
  // Services live in a session without a desktop.
  if (platform === 'win32') return env['SESSIONNAME'] !== 'Services';
  const found = await Promise.all([hasX11(machine), hasWayland(env)]);
  return found.includes(true);
}

async function hasX11(machine: Machine): Promise<boolean> {
  using x11 = await connectX11(machine, PATIENCE);
  return x11 !== undefined;
}

async function hasWayland(env: Machine['env']): Promise<boolean> {
  const { WAYLAND_DISPLAY: display, XDG_RUNTIME_DIR: folder } = env;
  if (!display || (!folder && !isAbsolute(display))) return false;
  const socket = connect(isAbsolute(display) ? display : join(folder ?? '', display));
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(PATIENCE) });
    return true;
  } catch {
    return false;
  } finally {
    socket.on('error', () => undefined).destroy();
  }
}

function output(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(command, args, { timeout: PATIENCE }, (_, stdout) => resolve(stdout));
  });
}
