import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `file:///C:/x`, and the `file://C:\x` that some clients send. */
const WINDOWS_ROOT = /^file:\/\/\/?([a-z]:[\\/].*)$/i;

/** The folder that a client's root names on this machine; undefined for anything but a local `file:` address. */
export function folderOfRoot(uri: string): string | undefined {
  const windows = WINDOWS_ROOT.exec(uri)?.[1];
  try {
    const path = windows === undefined ? fileURLToPath(uri) : decodeURIComponent(windows);
    return isAbsolute(path) ? path : undefined;
  } catch {
    return undefined;
  }
}
