import { isAbsolute, join } from 'node:path';
import { connectX11, outputOf } from '@deskside/desktop';
import { accepts, type DisplaySearch, findHiddenDisplay } from './hidden-display.ts';
import type { SystemInfo } from './system.ts';

const COMMAND_TIMEOUT_MS = 3000;

/**
 * Looks for a display on which a person can see a window now. It connects: a variable alone proves nothing.
 *
 * @param isForced the person has chosen the presenter, also for a login over SSH
 */
export async function findDisplay(system: SystemInfo, isForced = false): Promise<DisplaySearch> {
  const { platform, env } = system;
  if (platform === 'darwin') return findMacDisplay(system);
  if (platform === 'win32') {
    // Windows services run in a session without a desktop.
    return env['SESSIONNAME'] === 'Services'
      ? { tried: ['This process is a Windows service. Services have no desktop.'] }
      : { display: 'the Windows desktop', why: 'this session has one', variables: {} };
  }
  const { DISPLAY: x11, WAYLAND_DISPLAY: wayland } = env;
  const tried: string[] = [];
  if (x11 !== undefined) {
    if (await answersX11(system)) return { display: x11, why: 'DISPLAY names it', variables: {} };
    tried.push(x11 === '' ? 'DISPLAY is empty.' : `DISPLAY is ${x11}, but no X server answers there.`);
  }
  if (wayland !== undefined) {
    const folder = env['XDG_RUNTIME_DIR'] || system.runtimeFolder;
    const socket = isAbsolute(wayland) ? wayland : join(folder, wayland);
    if (wayland !== '' && (await accepts(socket))) {
      const variables = env['XDG_RUNTIME_DIR'] ? {} : { XDG_RUNTIME_DIR: folder };
      return { display: wayland, why: 'WAYLAND_DISPLAY names it', variables };
    }
    tried.push(
      wayland === ''
        ? 'WAYLAND_DISPLAY is empty.'
        : `WAYLAND_DISPLAY is ${wayland}, but no compositor answers at ${socket}.`,
    );
  }
  // An empty variable keeps windows away. A process that outlives its login has the name of a dead display.
  if ((x11 ?? wayland) === '') return { tried };
  return findHiddenDisplay(system, tried, isForced);
}

async function findMacDisplay(system: SystemInfo): Promise<DisplaySearch> {
  const manager = (await outputOf(system, 'launchctl', ['managername'], COMMAND_TIMEOUT_MS))?.trim() ?? '';
  if (manager === 'Aqua')
    return { display: 'the Mac desktop', why: 'this session is at the screen', variables: {} };
  return {
    tried: [`launchctl managername is "${manager}". Only a session at the screen ("Aqua") has a display.`],
  };
}

async function answersX11(system: SystemInfo): Promise<boolean> {
  using x11 = await connectX11(system);
  return x11 !== undefined;
}
