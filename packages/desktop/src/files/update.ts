import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { errnoOf, StartError } from '@deskside/core/errors';

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
