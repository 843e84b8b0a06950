import { platform } from 'node:os';
import { posix, win32 } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `file:///C:/x`, and the `file://C:\x` that some clients send, of which no URL parser keeps a `#`. */
const DRIVE_ROOT = /^file:\/\/\/?([a-z]:[\\/].*)$/i;

/**
 * The folder that a client's root names on this machine; undefined for anything but an address of its file
 * system.
 */
export function folderOfRoot(uri: string, windows: boolean = platform() === 'win32'): string | undefined {
  const { isAbsolute, normalize } = windows ? win32 : posix;
  const onDrive = DRIVE_ROOT.exec(uri)?.[1];
  try {
    const path = onDrive === undefined ? fileURLToPath(uri, { windows }) : decoded(onDrive);
    return isAbsolute(path) ? normalize(path) : undefined;
  } catch {
    return undefined;
  }
}

/** Clients that do not write addresses properly do not encode a percent sign either. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
