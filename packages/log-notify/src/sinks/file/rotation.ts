import { realpathSync } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { errnoOf } from '@deskside/core/errors';
import { whileLocked } from '@deskside/desktop';

/** Longer than other processes need to rename the files. */
const LOCK_WAIT_MS = 1000;

/** Distinguishes files that replace each other at one path. */
export interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

export function isSameFile(a: FileIdentity, b: FileIdentity): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

/** Where the file is, if the path is a symbolic link. */
export function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // It does not exist yet, or cannot be looked at.
    return path;
  }
}

/** @param age 1 for the newest rotated file */
export function rotatedPath(path: string, age: number): string {
  return `${targetOf(path)}.${age}`;
}

/**
 * Renames the file and the rotated files by one age, if the path still holds the expected file. Of several processes one
 * does it.
 *
 * @param keep maximum number of rotated files; the oldest is replaced
 */
export async function rotate(path: string, expected: FileIdentity, keep: number): Promise<void> {
  // A link stays: it is renamed where it leads.
  const file = targetOf(path);
  await whileLocked(
    file,
    async () => {
      const current = await fileIdentity(path);
      if (current === undefined || !isSameFile(current, expected)) return;
      for (let age = keep; age >= 1; age -= 1) {
        const from = age === 1 ? file : `${file}.${age - 1}`;
        await rename(from, `${file}.${age}`).catch(ignoreMissing);
      }
    },
    { waitMs: LOCK_WAIT_MS },
  );
}

/** @returns undefined if the file does not exist */
export async function fileIdentity(
  path: string,
): Promise<(FileIdentity & { readonly size: bigint }) | undefined> {
  return stat(path, { bigint: true }).catch(ignoreMissing);
}

function ignoreMissing(error: unknown): undefined {
  if (errnoOf(error) !== 'ENOENT') throw error;
}
