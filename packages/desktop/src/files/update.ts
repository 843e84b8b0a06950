import { isUtf8 } from 'node:buffer';
import { constants, mkdirSync, watch } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { errnoOf, StartError } from '@deskside/core/errors';

/**
 * The text of a file, undefined if it does not exist.
 *
 * @throws StartError for another encoding: written again, such a text would be damaged; for a folder or a pipe
 */
export async function textOf(file: string): Promise<string | undefined> {
  try {
    // Else a pipe waits for its other end.
    await using handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = await handle.stat();
    if (!stats.isFile() && !stats.isCharacterDevice()) throw new StartError('It is not a file.');
    const bytes = await handle.readFile();
    if (!isUtf8(bytes)) throw new StartError('It is not UTF-8. Save it as UTF-8.');
    return bytes.toString('utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined;
    throw error;
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
