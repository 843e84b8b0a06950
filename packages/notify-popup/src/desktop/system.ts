// oxlint-disable eslint/no-restricted-imports -- the only module that reads process and user
import { lstat, mkdir } from 'node:fs/promises';
import { homedir, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import process, { cwd, env, platform } from 'node:process';

/** The machine and user that the popup runs for. */
export interface SystemInfo {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly temporaryFolder: string;
  readonly user: string;
  /** -1 on Windows. */
  readonly uid: number;
  readonly workingDirectory: string;
}

export function currentSystem(): SystemInfo {
  return {
    platform,
    env,
    home: homeFolder(),
    temporaryFolder: tmpdir(),
    user: userName(),
    uid: process.getuid?.() ?? -1,
    workingDirectory: cwd(),
  };
}

/** `userInfo` throws under a user id without a passwd entry, as in many containers. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return env['USER'] ?? env['USERNAME'] ?? 'user';
  }
}

/** `homedir` throws if neither HOME nor a passwd entry exists. */
function homeFolder(): string {
  try {
    return homedir();
  } catch {
    return tmpdir();
  }
}

/**
 * Creates the user's private folder for sockets and other files of this login session.
 *
 * @throws if another user could read or replace its files
 */
export async function openRuntimeFolder(system: SystemInfo): Promise<string> {
  const { env: variables, platform: os, temporaryFolder, uid, user } = system;
  const session = variables['XDG_RUNTIME_DIR'];
  const folder = session
    ? join(session, 'deskside')
    : join(temporaryFolder, `deskside-${uid === -1 ? user : uid}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (os === 'win32') return folder;
  const stats = await lstat(folder);
  if (!stats.isDirectory() || stats.uid !== uid || (stats.mode & 0o077) !== 0) {
    throw new Error(`${folder} must be a folder with mode 0700 that belongs to this user`);
  }
  return folder;
}
