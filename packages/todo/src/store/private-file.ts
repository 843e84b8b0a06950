import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes sure that the file exists; a new one is 0600 and its new folders 0700, an existing one is left alone.
 */
export function ensurePrivateFile(path: string): void {
  ensurePrivateFolder(dirname(path));
  // Exclusive: opening and closing an existing database would drop this process's POSIX locks on it.
  unlessThere(() => closeSync(openSync(path, 'wx', 0o600)));
}

/** Step by step: Node's own recursive mkdir never ends where the system refuses, as under /proc. */
function ensurePrivateFolder(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) ensurePrivateFolder(parent);
  unlessThere(() => mkdirSync(path, { mode: 0o700 }));
}

function unlessThere(make: () => void): void {
  try {
    make();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
