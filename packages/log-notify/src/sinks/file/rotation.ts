import { realpathSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { errnoOf } from '@deskside/core/errors';

/** Age of a lock after which its process counts as dead. */
const STALE_LOCK_MS = 10_000;

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
 * Renames the file and the rotated files by one age, if the path still holds the expected file. A lock file makes sure
 * that only one of several processes does it; the others continue without waiting.
 *
 * @param keep maximum number of rotated files; the oldest is replaced
 */
export async function rotate(path: string, expected: FileIdentity, keep: number): Promise<void> {
  // A link stays: it is renamed where it leads.
  const file = targetOf(path);
  const lock = `${file}.lock`;
  if (!(await acquire(lock))) return;
  try {
    const current = await fileIdentity(path);
    if (current === undefined || !isSameFile(current, expected)) return;
    for (let age = keep; age >= 1; age -= 1) {
      const from = age === 1 ? file : `${file}.${age - 1}`;
      await rename(from, `${file}.${age}`).catch(ignoreMissing);
    }
  } finally {
    await rm(lock, { force: true });
  }
}

/** @returns undefined if the file does not exist */
export async function fileIdentity(
  path: string,
): Promise<(FileIdentity & { readonly size: bigint }) | undefined> {
  try {
    return await stat(path, { bigint: true });
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function acquire(lock: string): Promise<boolean> {
  try {
    await (await open(lock, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    // Its holder has removed it meanwhile.
    const held = await stat(lock).catch(() => undefined);
    if (held !== undefined && Date.now() - held.mtimeMs > STALE_LOCK_MS) await rm(lock, { force: true });
    return false;
  }
}

function ignoreMissing(error: unknown): void {
  if (errnoOf(error) !== 'ENOENT') throw error;
}
