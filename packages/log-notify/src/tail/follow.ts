import { setTimeout as wait } from 'node:timers/promises';
import { type FileIdentity, isSameFile, rotatedPath } from '../sinks/file/rotation.ts';
import { type FileReader, openFile } from './file-reader.ts';

/** How often the file is looked at. Files are rotated much less often. */
const LOOK_INTERVAL_MS = 200;
/** So many missing files in a row are the end of the rotated ones: rotations can follow each other. */
const MAX_GAP = 3;

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
      try {
        if (rotated !== undefined) yield* rotated.lines();
        if (current !== undefined) yield* current.lines();
        const found = await openAfter(path, current?.identity);
        isReadable = true;
        if (found !== undefined) {
          await rotated?.close();
          [rotated, current] = [current, found];
          continue;
        }
      } catch (error) {
        if (isReadable) failed(error);
        isReadable = false;
      }
      // It ends early with the signal.
      await wait(LOOK_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await current?.close();
    await rotated?.close();
  }
}

/**
 * The file that came after this one, which can have been rotated several times. Files only get older, the
 * oldest first: looking from the newest on passes none, and meets a gap where one is renamed.
 */
async function openAfter(path: string, read: FileIdentity | undefined): Promise<FileReader | undefined> {
  if (read === undefined) return openFile(path, 'start');
  let after: FileReader | undefined;
  for (let [age, gap] = [0, 0]; gap < MAX_GAP; age += 1) {
    const each = await openFile(age === 0 ? path : rotatedPath(path, age), 'start');
    gap = each === undefined ? gap + 1 : 0;
    if (each === undefined) continue;
    const isRead = isSameFile(each.identity, read);
    await (isRead ? each : after)?.close();
    if (isRead) return after;
    after = each;
  }
  // It was not rotated, but replaced or deleted.
  await after?.close();
  return openFile(path, 'start');
}
