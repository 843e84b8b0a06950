import { mkdirSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { messageOf, StartError } from '@deskside/core/errors';
import { textOf } from '@deskside/desktop';

/**
 * The text of a file that people edit, undefined if it does not exist.
 *
 * @throws StartError that names the file, if it exists and cannot be read
 */
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
