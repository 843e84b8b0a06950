import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Environment } from '../../platform/this-process.ts';
import type { Driver } from './driver.ts';
import { notifySend } from './notify-send.ts';
import { osascript } from './osascript.ts';
import { windowsToast } from './windows-toast.ts';

export interface Machine {
  /** As `os.platform()` names it. */
  readonly platform: string;
  readonly env: Environment;
  /** Undefined where the platform has none. */
  readonly userId: number | undefined;
  readonly exists: (path: string) => boolean;
  readonly isProgram: (path: string) => boolean;
}

/** What shows notifications on this machine, or one sentence why nothing does. */
export function findDriver(machine: Machine): Driver | string {
  switch (machine.platform) {
    case 'darwin':
      return osascript;
    case 'win32':
      return windowsToast;
    default:
      return freeDesktopDriver(machine);
  }
}

function freeDesktopDriver({ env, userId, exists, isProgram }: Machine): Driver | string {
  const hasBus =
    isSet(env['DBUS_SESSION_BUS_ADDRESS']) || (userId !== undefined && exists(`/run/user/${userId}/bus`));
  if (!hasBus && !isSet(env['DISPLAY']) && !isSet(env['WAYLAND_DISPLAY'])) {
    return 'there is no desktop session: neither a display nor a D-Bus session bus';
  }
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  if (folders.some((folder) => isProgram(join(folder, 'notify-send')))) return notifySend;
  return 'notify-send is not installed: install libnotify-bin (Debian, Ubuntu) or libnotify (Fedora, Arch)';
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

/** A file that this user may run: folders have the same bit. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
