import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { folders } from '@deskside/core';

/**
 * True once for each token, and where that can't be remembered. Whether the token is new would say less: another
 * program of the family may have made it, or a start that failed.
 */
export async function isFirstShowing(token: string): Promise<boolean> {
  const folder = folders().data;
  const file = join(folder, 'token-shown');
  const mark = `${createHash('sha256').update(token).digest('hex')}\n`;
  const known = await readFile(file, 'utf8').catch(() => undefined);
  if (known === mark) return false;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(file, mark, { mode: 0o600 }).catch(() => undefined);
  return true;
}
