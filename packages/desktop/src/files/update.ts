import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
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
