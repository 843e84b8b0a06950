import { open, rename, rm, stat } from 'node:fs/promises';

/** Milliseconds after which a rotation is taken for dead. */
const STALE_MS = 10_000;

/** What tells one file from another at the same path. */
export interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

export function isSameFile(a: FileIdentity, b: FileIdentity): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

/** @param age 1 for the youngest of the old files */
export function rotatedPath(path: string, age: number): string {
  return `${path}.${age}`;
}

/**
 * Renames the file and its predecessors one further, where it still is the file that was found too long: of
 * several processes one does it, under a lock file, and the others go on.
 *
 * @param keep how many old files there are at most; the oldest is replaced
 */
export async function rotate(path: string, expected: FileIdentity, keep: number): Promise<void> {
  const lock = `${path}.lock`;
  if (!(await acquire(lock))) return;
  try {
    const current = await identityOf(path);
    if (current === undefined || !isSameFile(current, expected)) return;
    for (let age = keep; age >= 1; age -= 1) {
      const from = age === 1 ? path : rotatedPath(path, age - 1);
      await rename(from, rotatedPath(path, age)).catch(unlessMissing);
    }
  } finally {
    await rm(lock, { force: true });
  }
}

/** @returns undefined where no file is */
export async function identityOf(
  path: string,
): Promise<(FileIdentity & { readonly size: bigint }) | undefined> {
  try {
    return await stat(path, { bigint: true });
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function acquire(lock: string): Promise<boolean> {
  try {
    await (await open(lock, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    const held = await stat(lock).catch(() => undefined);
    if (held !== undefined && Date.now() - held.mtimeMs > STALE_MS) await rm(lock, { force: true });
    return false;
  }
}

function unlessMissing(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
