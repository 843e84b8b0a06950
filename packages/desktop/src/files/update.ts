import { isUtf8 } from 'node:buffer';
import { mkdirSync, rmSync, watch, writeFileSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
// oxlint-disable-next-line eslint/no-restricted-imports -- the only way to learn that this process ends
import process from 'node:process';
import { errnoOf, messageOf, StartError } from '@deskside/core/errors';

const LOCK_WAIT_MS = 5000;
const LOCK_POLL_MS = 20;

/**
 * The text of a file, undefined if it does not exist.
 *
 * @throws StartError for another encoding: written again, such a text would be damaged
 */
export async function textOf(file: string): Promise<string | undefined> {
  try {
    const bytes = await readFile(file);
    if (!isUtf8(bytes)) throw new StartError('It is not UTF-8. Save it as UTF-8.');
    return bytes.toString('utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** As `textOf`. @throws StartError that names the file, if it exists and cannot be read */
export async function readable(file: string): Promise<string | undefined> {
  try {
    return await textOf(file);
  } catch (error) {
    if (error instanceof StartError) throw new StartError(`${file}: ${error.message}`, { cause: error });
    throw new StartError(`${file} cannot be read (${messageOf(error)}). Correct it.`, { cause: error });
  }
}

/**
 * Calls back when a file is created or replaced, also by another program. It does not keep the process alive.
 *
 * @param onFailure called if the file cannot be watched
 * @returns a function that ends it
 */
export function watchFile(
  file: string,
  onChange: () => void,
  onFailure: (error: unknown) => void,
): () => void {
  const folder = dirname(file);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const watcher = watch(folder, { persistent: false }, (_, name) => {
      if (name === basename(file)) onChange();
    });
    watcher.on('error', (error) => {
      watcher.close();
      onFailure(error);
    });
    return () => watcher.close();
  } catch (error) {
    onFailure(error);
    return () => undefined;
  }
}

/** Locks of this process. */
const held = new Set<string>();

/** A program that ends while it works leaves no lock, which would stay for ever. */
function freeAll(): void {
  for (const lock of held) {
    try {
      rmSync(lock, { force: true });
    } catch {
      // The next program names the file that must be deleted.
    }
  }
}

/**
 * Does work while no other Deskside program changes the file.
 *
 * @param waitMs how long to wait for another program, in milliseconds
 * @throws StartError if another program holds the lock for longer
 */
export async function whileLocked<T>(
  file: string,
  work: () => Promise<T>,
  waitMs: number = LOCK_WAIT_MS,
): Promise<T> {
  const lock = `${file}.lock`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await acquire(file, lock, waitMs);
  try {
    return await work();
  } finally {
    // At once: the lock of another program must not be taken for this one.
    rmSync(lock, { force: true });
    held.delete(lock);
    if (held.size === 0) process.off('exit', freeAll);
  }
}

/**
 * Creating a file is atomic: of two programs at once one wins. An old lock is not removed: two programs that do so can remove the
 * new lock of each other.
 */
async function acquire(file: string, lock: string, waitMs: number): Promise<void> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      // Empty: a full disk leaves no lock behind.
      writeFileSync(lock, '', { flag: 'wx', mode: 0o600 });
      if (held.size === 0) process.once('exit', freeAll);
      held.add(lock);
      return;
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
    if (performance.now() > deadline) {
      throw new StartError(
        `Another program changes ${file}, or one was killed meanwhile. Try again, or delete ${lock}.`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS));
  }
}
