import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';

/** Milliseconds between looks. */
const LOOK_MS = 1000;

interface Status {
  readonly mtimeMs: number;
  readonly size: number;
  readonly ino: number;
}

/**
 * Looks at a file, which need not exist, once a second, and tells when it is another than before. What it is
 * compared with is taken before this returns: whoever reads the file afterwards misses no change.
 *
 * @returns what ends it; it keeps no process alive
 */
export function watchFile(path: string, onChange: () => void): () => void {
  let known = fingerprint(statusNow(path));
  const look = async () => {
    const now = fingerprint(await stat(path).catch(() => undefined));
    if (now === known) return;
    known = now;
    onChange();
  };
  const timer = setInterval(() => void look(), LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function statusNow(path: string): Status | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function fingerprint(status: Status | undefined): string {
  return status === undefined ? 'none' : `${status.mtimeMs} ${status.size} ${status.ino}`;
}
