import Database from 'better-sqlite3';
import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs';

/**
 * Writes `<file>.v<version>.bak` (0600), a complete database; call it while another connection holds the
 * write lock and has not written yet. An older backup of the same version is replaced.
 */
export function backUp(file: string, version: number, timeout: number): void {
  const finished = `${file}.v${version}.bak`;
  const partial = `${finished}.partial`;
  closeSync(openSync(partial, 'w', 0o600));
  // WAL lets a second connection read under the lock, and the lock keeps all others from writing until the
  // migration ends: the copy is exactly what gets migrated.
  const reader = new Database(file, { readonly: true, timeout });
  try {
    reader.prepare('VACUUM INTO ?').run(partial);
  } finally {
    reader.close();
  }
  synchronise(partial);
  renameSync(partial, finished);
}

/** VACUUM INTO doesn't wait for the disk. */
function synchronise(file: string): void {
  const descriptor = openSync(file, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
