import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';

/** How long the copy waits for another process that opens or closes the database. */
const COPY_TIMEOUT_MS = 5000;

/** Writes a complete database (0600). Other connections may write meanwhile. */
export function copyDatabase(file: string, finished: string): void {
  const partial = `${finished}.partial`;
  // A leftover, or a link, would keep its own mode.
  rmSync(partial, { force: true });
  const descriptor = openSync(partial, 'wx', 0o600);
  try {
    const reader = new Database(file, { readonly: true, timeout: COPY_TIMEOUT_MS });
    try {
      reader.prepare('VACUUM INTO ?').run(partial);
    } finally {
      reader.close();
    }
    // VACUUM INTO doesn't wait for the disk.
    fsyncSync(descriptor);
    renameSync(partial, finished);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}
