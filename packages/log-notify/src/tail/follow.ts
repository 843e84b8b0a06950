import { setTimeout as wait } from 'node:timers/promises';
import { isSameFile, rotatedPath } from '../sinks/file/rotation.ts';
import { type FileReader, openFile } from './file-reader.ts';

/** How often the file is looked at. */
const LOOK_INTERVAL_MS = 200;

/**
 * Yields the lines of a file that were not read yet, and those that are appended to it, across rotations. The
 * file may not exist yet.
 *
 * @param from the open file, which is closed at the end; undefined if it does not exist
 */
export async function* follow(
  path: string,
  from: FileReader | undefined,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let current = from;
  /** The file before it: a writer may still append a line. */
  let rotated: FileReader | undefined;
  try {
    while (!signal.aborted) {
      const newer = await newerThan(current, path);
      if (rotated !== undefined) yield* rotated.lines();
      if (current !== undefined) yield* current.lines();
      for (const next of newer) {
        await rotated?.close();
        [rotated, current] = [current, next];
        yield* next.lines();
      }
      // It ends early with the signal.
      await wait(LOOK_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await current?.close();
    await rotated?.close();
  }
}

/** Names that may be missing while files are renamed. */
const MAX_GAPS = 2;

/** The files that came since the current one was opened, oldest first. While it looks, files only get older. */
async function newerThan(current: FileReader | undefined, path: string): Promise<readonly FileReader[]> {
  const newer: FileReader[] = [];
  let gaps = 0;
  for (let age = 0; gaps <= MAX_GAPS; age += 1) {
    const reader = await openFile(age === 0 ? path : rotatedPath(path, age), 'start');
    if (reader === undefined) gaps += 1;
    else if (!newer.some(({ identity }) => isSameFile(identity, reader.identity))) newer.unshift(reader);
    else await reader.close();
    if (current === undefined || reader === undefined || !isSameFile(reader.identity, current.identity))
      continue;
    await newer.shift()?.close();
    return newer;
  }
  // If the current file was deleted, it is not known which of the older ones came after it.
  const unknown = current === undefined ? [] : newer.splice(0, newer.length - 1);
  for (const reader of unknown) await reader.close();
  return newer;
}
