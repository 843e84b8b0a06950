import { existsSync, lstatSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPrivate } from '@deskside/core/base';
import { folders, thisProcess } from '@deskside/core/program';
import { StartError, unlessStartFails } from '@deskside/core/errors';
import { openFolder, ownUid } from '../files/owner.ts';

export const FILE_NAME = 'desk.sqlite';

/** Folders in which the desk database can be, the best one first. */
export interface DeskPlaces {
  /** Undefined for a user without a home folder. */
  readonly state: string | undefined;
  /** Private to the user, on this machine. Its content may be gone after a restart. */
  readonly runtime: readonly string[];
}

/** The same ones for all programs of this user. */
export function deskPlaces(): DeskPlaces {
  const uid = ownUid();
  const session = thisProcess().env['XDG_RUNTIME_DIR'] || `/run/user/${uid}`;
  return {
    state: unlessStartFails(() => folders().state),
    runtime: [
      ...(platform() === 'linux' && existsSync(session) ? [join(session, 'deskside')] : []),
      join(tmpdir(), `deskside-${uid ?? 'user'}`),
    ],
  };
}

/** Types of file systems in which the locks or the shared memory of SQLite do not work, as `statfs` numbers them. */
const REMOTE: ReadonlyMap<number, string> = new Map([
  [0x69_69, 'NFS'],
  [0x51_7b, 'SMB'],
  [0xff_53_4d_42, 'CIFS'],
  [0xfe_53_4d_42, 'SMB'],
  [0x65_73_55_46, 'FUSE'],
  [0x01_02_19_97, '9P'],
  [0x53_46_41_4f, 'AFS'],
  [0x73_75_72_45, 'Coda'],
  [0x00_c3_64_00, 'Ceph'],
  [0x0b_d0_0b_d0, 'Lustre'],
  [0x78_6f_42_56, 'VirtualBox'],
]);

/**
 * Creates the file, if it does not exist, with its folder. Both are private.
 *
 * @returns its path @throws StartError, or the error of the system, if the database cannot be there
 */
export function prepareFile(folder: string, typeOf = fileSystemType): string {
  openFolder(folder);
  const remote = REMOTE.get(typeOf(folder));
  if (remote !== undefined) throw new StartError(`It is a ${remote} file system.`);
  const file = join(folder, FILE_NAME);
  // It is never opened here if it exists: to close a file gives the locks up that SQLite has on it in this process.
  // Another process may be faster.
  if (!existsSync(file)) writeFileSync(file, '', { flag: 'a', mode: 0o600 });
  const stats = lstatSync(file);
  if (!stats.isFile()) throw new StartError(`${file} is not a file. Move it away.`);
  checkPrivate(file, stats, ownUid());
  return file;
}

export function fileSystemType(folder: string): number {
  return platform() === 'linux' ? statfsSync(folder).type : 0;
}

/** Which file has this name now; undefined if none has. */
export function identityOf(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}
