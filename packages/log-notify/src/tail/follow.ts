import { setTimeout as wait } from 'node:timers/promises';
import { type FileIdentity, fileIdentity, isSameFile, rotatedPath } from '../sinks/file/rotation.ts';
import { type FileReader, openFile } from './file-reader.ts';

/** How often the file is looked at. Files are rotated much less often. */
const LOOK_INTERVAL_MS = 200;

/**
 * Yields the lines of a file that were not read yet, and those that are appended to it, across rotations. The
 * file may not exist yet, and while it cannot be read, it is looked at again.
 *
 * @param failed hears once why the file cannot be read any more
 * @param from the open file, which is closed at the end; undefined if it does not exist
 */
export async function* follow(
  path: string,
  from: FileReader | undefined,
  failed: (error: unknown) => void,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let current = from;
  /** The file before it: a writer may still append a line. */
  let rotated: FileReader | undefined;
  let isReadable = true;
  try {
    while (!signal.aborted) {
      let found: FileReader | undefined;
      try {
        if (rotated !== undefined) yield* rotated.lines();
        if (current !== undefined) yield* current.lines();
        found = await openAfter(path, current?.identity);
        isReadable = true;
      } catch (error) {
        if (isReadable) failed(error);
        isReadable = false;
      }
      if (found !== undefined && (current === undefined || !isSameFile(found.identity, current.identity))) {
        await rotated?.close();
        [rotated, current] = [current, found];
        continue;
      }
      await found?.close();
      // It ends early with the signal.
      await wait(LOOK_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await current?.close();
    await rotated?.close();
  }
}

/** The file that came after this one. Its path can have another file when it is opened. */
async function openAfter(path: string, read: FileIdentity | undefined): Promise<FileReader | undefined> {
  for (;;) {
    const found = await openFile(await pathAfter(path, read), 'start');
    const wanted = await fileIdentity(await pathAfter(path, read));
    if (found === undefined || wanted === undefined || isSameFile(found.identity, wanted)) return found;
    await found.close();
  }
}

/** Where the file is that came after this one: while nobody looked, it can have been rotated several times. */
async function pathAfter(path: string, read: FileIdentity | undefined): Promise<string> {
  let after = path;
  for (let age = 0; ; age += 1) {
    const each = age === 0 ? path : rotatedPath(path, age);
    const found = await fileIdentity(each);
    // It was not rotated, but replaced or deleted.
    if (found === undefined || read === undefined) return path;
    if (isSameFile(found, read)) return after;
    after = each;
  }
}
