import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { isAbsolute, relative } from 'node:path';
import { Problem } from '../problem.ts';

/** Bytes of a file that is read as an image at all. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * The bytes of a file that really lies in a folder: links are followed first, and only a regular file is read.
 *
 * @throws Problem NOT_FOUND, IMAGE_TOO_LARGE or UNAVAILABLE
 */
export async function readImageFile(file: string, folder: string): Promise<Uint8Array> {
  try {
    const [real, root] = await Promise.all([realpath(file), realpath(folder)]);
    if (!isInside(root, real)) throw gone();
    const handle = await open(real, constants.O_RDONLY);
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) throw gone();
      if (stats.size > MOST_BYTES) throw tooLarge();
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(gone().text, { cause: error });
  }
}

/** Whether a path lies in a folder and is not the folder itself; both absolute and without links. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !/^\.\.[\\/]/.test(way) && !isAbsolute(way);
}

function gone(): Problem {
  return new Problem({
    code: 'NOT_FOUND',
    error: 'The file of this screenshot cannot be read, or is gone.',
    hint: 'ManicTime deletes screenshots after some days; list_screenshots shows what is still there.',
  });
}

function tooLarge(): Problem {
  return new Problem({
    code: 'IMAGE_TOO_LARGE',
    error: 'The file of this screenshot is larger than any screenshot.',
    hint: 'Choose another screenshot with list_screenshots.',
  });
}
