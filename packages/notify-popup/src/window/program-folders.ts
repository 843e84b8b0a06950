import { realpath } from 'node:fs/promises';
import { basename, join, posix, win32 } from 'node:path';
import type { SystemInfo } from '../desktop/system.ts';

const SNAP_FOLDER = '/snap/bin';
const FLATPAK_FOLDERS = ['/var/lib/flatpak/exports/bin', '.local/share/flatpak/exports/bin'];

/** The folders of installed programs on Windows. Clients hand on few variables, and never ProgramFiles(x86). */
export function windowsProgramFolders({ env, home }: SystemInfo): string[] {
  const drive = env['SystemDrive'] ?? env['SYSTEMDRIVE'] ?? 'C:';
  const folders = [
    env['ProgramFiles(x86)'] ?? win32.join(drive, String.raw`\Program Files (x86)`),
    env['ProgramFiles'] ?? env['PROGRAMFILES'] ?? win32.join(drive, String.raw`\Program Files`),
    env['LOCALAPPDATA'] ?? win32.join(home, String.raw`AppData\Local`),
  ];
  return [...new Set(folders)];
}

/** Programs from snap and flatpak packages, whose folders are often not in PATH. */
export function packagedPrograms(
  { snap, flatpak }: { readonly snap: readonly string[]; readonly flatpak: readonly string[] },
  home: string,
): string[] {
  return [
    ...snap.map((name) => join(SNAP_FOLDER, name)),
    ...flatpak.flatMap((id) => FLATPAK_FOLDERS.map((folder) => posix.resolve(home, folder, id))),
  ];
}

/**
 * The folder that a program from a snap or flatpak package can read and write: it sees no hidden folders of the home
 * folder.
 *
 * @returns undefined for other programs
 */
export async function sandboxFolder(command: string, { home }: SystemInfo): Promise<string | undefined> {
  const target = await realpath(command).catch(() => command);
  if ([command, target].some((path) => path.includes('/flatpak/exports/'))) {
    return join(home, '.var/app', basename(command), 'deskside-popup');
  }
  const isSnap = command.startsWith('/snap/') || target.includes('/snap/') || target === '/usr/bin/snap';
  return isSnap ? join(home, 'snap', basename(command), 'common/deskside-popup') : undefined;
}
