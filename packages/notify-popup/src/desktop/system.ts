// oxlint-disable eslint/no-restricted-imports -- the only module that reads process and user
import { type ClientDesktop, ancestorsOf, type HolderPlace, openFolder } from '@deskside/desktop';
import { constants } from 'node:fs';
import { access, chmod, lstat, readFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import process, { cwd, env, platform } from 'node:process';
import { DISPLAY_VARIABLES } from '@deskside/core/base';
import { messageOf } from '@deskside/core/errors';

/** The machine and user that the popup runs for. */
export interface SystemInfo {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly temporaryFolder: string;
  /** -1 on Windows. */
  readonly uid: number;
  /** Empty if the folder was deleted. */
  readonly workingDirectory: string;
  readonly processId: number;
  /** The folder of the user's login session on Linux, also if XDG_RUNTIME_DIR does not name it. */
  readonly runtimeFolder: string;
  /** The socket on which logind answers. */
  readonly systemBus: string;
  /** The sockets of local X servers. */
  readonly x11Folder: string;
  /** Names of the programs above this process, the parent first. Empty if the platform does not say. */
  readonly ancestors: () => Promise<readonly string[]>;
}

export function currentSystem(): SystemInfo {
  return {
    platform,
    env,
    home: homeFolder(),
    temporaryFolder: tmpdir(),
    uid: process.getuid?.() ?? -1,
    workingDirectory: workingDirectory(),
    processId: process.pid,
    runtimeFolder: `/run/user/${process.getuid?.() ?? -1}`,
    systemBus: '/run/dbus/system_bus_socket',
    x11Folder: '/tmp/.X11-unix',
    ancestors: () => ancestorsFrom(process.ppid),
  };
}

const DESKTOP_VARIABLES = new Set([...DISPLAY_VARIABLES, 'SSH_CONNECTION', 'SSH_TTY']);

/** The machine as a client of this user sees it: with its display instead of that of this process. */
export function systemOfClient(system: SystemInfo, { pid, env: own }: ClientDesktop): SystemInfo {
  // Elsewhere all processes of a login have the same screen.
  if (system.platform !== 'linux') return system;
  const rest = Object.entries(system.env).filter(([name]) => !DESKTOP_VARIABLES.has(name));
  return { ...system, env: { ...Object.fromEntries(rest), ...own }, ancestors: () => ancestorsFrom(pid) };
}

/** The names of a process and of the programs above it. */
async function ancestorsFrom(first: number): Promise<readonly string[]> {
  const names = ancestorsOf(first).map((id) => readFile(`/proc/${id}/comm`, 'utf8').catch(() => ''));
  return (await Promise.all(names)).map((name) => name.trim()).filter((name) => name !== '');
}

function workingDirectory(): string {
  try {
    return cwd();
  } catch {
    return '';
  }
}

/** `homedir` throws if neither HOME nor a passwd entry exists. An empty HOME would mean the working directory. */
function homeFolder(): string {
  try {
    return homedir() || tmpdir();
  } catch {
    return tmpdir();
  }
}

/**
 * Creates the user's private folder for what its processes share and for files that live as long as a popup. It depends on the user
 * only, never on variables such as XDG_RUNTIME_DIR: two servers with different environments must find each other.
 *
 * @throws if no folder can be private to the user
 */
export async function openRuntimeFolder(system: SystemInfo): Promise<string> {
  const { platform: os, runtimeFolder, temporaryFolder, uid } = system;
  const candidates = [
    join(stateFolder(system), 'popup'),
    ...(os === 'linux' ? [join(runtimeFolder, 'deskside')] : []),
    // On Windows each user has a temporary folder.
    join(temporaryFolder, uid === -1 ? 'deskside' : `deskside-${uid}`),
  ];
  const own = ownerOf(system);
  const problems: string[] = [];
  for (const folder of candidates) {
    try {
      await makePrivate(folder, own);
      openFolder(folder, own);
      await access(folder, constants.W_OK);
      return folder;
    } catch (error) {
      problems.push(messageOf(error));
    }
  }
  throw new Error(problems.join('; '));
}

/**
 * Creates the place in which one process of the user holds the right to show a window.
 *
 * @throws as `openRuntimeFolder`
 */
export async function openRuntimePlace(system: SystemInfo): Promise<HolderPlace> {
  const place = { folder: join(await openRuntimeFolder(system), 'queue'), uid: ownerOf(system) };
  openFolder(place.folder, place.uid);
  return place;
}

/** Undefined on Windows, where the mode of a file says nothing. */
function ownerOf({ uid }: SystemInfo): number | undefined {
  return uid === -1 ? undefined : uid;
}

/** A folder of this user that others can use stays the place where all servers meet. */
async function makePrivate(folder: string, own: number | undefined): Promise<void> {
  // It does not exist yet.
  const stats = await lstat(folder).catch(() => undefined);
  if (own === undefined || stats?.uid !== own || !stats.isDirectory()) return;
  if ((stats.mode & 0o077) !== 0) await chmod(folder, 0o700);
}

/** Deskside's state folder of this user, without regard to XDG_STATE_HOME. */
export function stateFolder({ platform: os, home }: SystemInfo): string {
  if (os === 'darwin') return join(home, 'Library/Logs/deskside');
  if (os === 'win32') return join(home, 'AppData/Local/deskside/Log');
  return join(home, '.local/state/deskside');
}
