import { isUtf8 } from 'node:buffer';
import { mkdirSync, watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { readPrivateFile } from '@deskside/core/base';
import { errnoOf, messageOf, StartError } from '@deskside/core/errors';
import { ownUid } from './owner.ts';

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
 * The text of a record that only this user may own and read.
 *
 * @returns undefined if it does not exist
 * @throws StartError that names the file, if it cannot be used
 */
export async function privateText(file: string, maxBytes?: number): Promise<string | undefined> {
  try {
    return await readPrivateFile(file, { uid: ownUid(), ...(maxBytes === undefined ? {} : { maxBytes }) });
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`${file} cannot be read (${messageOf(error)}). Correct it, or delete it.`, {
      cause: error,
    });
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
