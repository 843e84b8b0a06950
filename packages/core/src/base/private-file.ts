import { constants, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import { platform } from 'node:os';
import { errnoOf, StartError } from '../errors/index.ts';

/** Permissions of the group and of others. */
const SHARED_MODE = 0o077;

/** What `stat` knows about a file or folder. */
export type Permissions = Pick<Stats, 'mode' | 'uid'>;

export interface PrivacyProblem {
  readonly problem: string;
  readonly remedy: string;
}

/**
 * Why other users can use a file or folder that should be private (mode 0600 or 0700), in two sentences.
 *
 * @param uid of the only user who may own it; undefined: any user may
 * @returns undefined if it is private, and always on Windows: the mode says nothing there, and the profile of a user
 * excludes other users
 */
export function privacyProblem(
  path: string,
  { mode, uid: owner }: Permissions,
  uid?: number,
): PrivacyProblem | undefined {
  if (platform() === 'win32') return undefined;
  if (uid !== undefined && owner !== uid) {
    return { problem: `${path} belongs to another user.`, remedy: 'Run this as that user, or delete it.' };
  }
  if ((mode & SHARED_MODE) === 0) return undefined;
  const isFolder = (mode & constants.S_IFMT) === constants.S_IFDIR;
  return {
    problem: `Other users can use ${path}.`,
    remedy: `Run: chmod ${isFolder ? '700' : '600'} ${shellQuoted(path)}`,
  };
}

/** @throws StartError if other users can use the file or folder; parameters as `privacyProblem` */
export function checkPrivate(path: string, permissions: Permissions, uid?: number): void {
  const found = privacyProblem(path, permissions, uid);
  if (found !== undefined) throw new StartError(`${found.problem} ${found.remedy}`);
}

export interface PrivateFileOptions {
  /** Default: no limit. */
  readonly maxBytes?: number;
  /** Do not check the permissions. Default false. */
  readonly mayBeShared?: boolean;
  /** Of the only user who may own it. Default: any user may. */
  readonly uid?: number | undefined;
}

/**
 * Reads a private file as UTF-8.
 *
 * @returns undefined if the file does not exist
 * @throws StartError if other users can use it; Error if it is not a file or too large; the error of the system if it
 * cannot be read
 */
export async function readPrivateFile(
  file: string,
  { maxBytes = Infinity, mayBeShared = false, uid }: PrivateFileOptions = {},
): Promise<string | undefined> {
  try {
    // One handle for all questions, so that the file that is checked is the file that is read.
    // Else a pipe waits for its other end.
    await using handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error('it is not a file');
    if (!mayBeShared) checkPrivate(file, stats, uid);
    if (stats.size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
    return await handle.readFile('utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** An argument of a POSIX shell. */
export function shellQuoted(argument: string): string {
  return /^[\w./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", String.raw`'\''`)}'`;
}
