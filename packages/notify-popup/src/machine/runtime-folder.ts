import { lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine } from './machine.ts';

/**
 * Makes sure of a folder for what must not outlive the session, that only this user can enter.
 *
 * @throws where somebody else could read or replace what is in it
 */
export async function runtimeFolder(machine: Machine): Promise<string> {
  const { env, platform, temporary, uid, user } = machine;
  const session = env['XDG_RUNTIME_DIR'];
  const folder = session ? join(session, 'deskside') : join(temporary, `deskside-${uid === -1 ? user : uid}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (platform === 'win32') return folder;
  const found = await lstat(folder);
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0) {
    throw new Error(`${folder} is not a folder of this user's own with mode 0700`);
  }
  return folder;
}
