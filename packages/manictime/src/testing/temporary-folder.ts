import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A real folder that lives longer than one test; whoever makes it removes it. */
export function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'deskside-manictime-'));
}
