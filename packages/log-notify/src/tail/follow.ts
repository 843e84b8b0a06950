import { setTimeout as wait } from 'node:timers/promises';
import { identityOf, isSameFile, rotatedPath } from '../sinks/file/rotation.ts';
import { type FileReader, openFile } from './file-reader.ts';

/** Milliseconds between looks at the file. */
const LOOK_MS = 100;
/** Looks that a rotated file still gets: a writer that has it open may have had a line to finish. */
const LAST_LOOKS = 20;

interface Leaving {
  readonly reader: FileReader;
  looks: number;
}

/**
 * The lines that are appended to a file from now on, across its rotations; it may not exist yet.
 *
 * @param from the file as it is now, which is closed in the end; undefined where there is none
 */
export async function* follow(
  path: string,
  from: FileReader | undefined,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let current = from;
  let leaving: Leaving[] = [];
  try {
    while (!signal.aborted) {
      const successors = await successorsOf(path, current);
      for (const { reader } of leaving) yield* reader.lines();
      if (current !== undefined) yield* current.lines();
      for (const successor of successors) {
        if (current !== undefined) leaving.push({ reader: current, looks: LAST_LOOKS });
        current = successor;
        yield* current.lines();
      }
      leaving = await stillLeaving(leaving);
      await wait(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await current?.close();
    for (const { reader } of leaving) await reader.close();
  }
}

async function stillLeaving(leaving: readonly Leaving[]): Promise<Leaving[]> {
  for (const each of leaving) {
    each.looks -= 1;
    if (each.looks === 0) await each.reader.close();
  }
  return leaving.filter(({ looks }) => looks > 0);
}

/** Walks through the files that are spoilt by rotations in their midst before one is taken as it is. */
const MOST_WALKS = 50;

/** The files that took the place of this one since it was opened, oldest first: there may have been several. */
async function successorsOf(path: string, current: FileReader | undefined): Promise<FileReader[]> {
  for (let walks = 1; ; walks += 1) {
    const before = await identityOf(path);
    const found = await walk(path, current);
    const after = await identityOf(path);
    const isStill = before === undefined ? after === undefined : after && isSameFile(before, after);
    if (isStill === true || walks === MOST_WALKS) return found;
    // Files moved up by two while they were looked at stand in the wrong order.
    for (const reader of found) await reader.close();
  }
}

/** A rotation that goes on meanwhile leaves one gap at a time, and may show a file twice. */
async function walk(path: string, current: FileReader | undefined): Promise<FileReader[]> {
  const found: FileReader[] = [];
  let gaps = 0;
  for (let age = 0; gaps < 2; age += 1) {
    const reader = await openFile(age === 0 ? path : rotatedPath(path, age), 'start');
    if (reader === undefined) {
      gaps += 1;
    } else if (current !== undefined && isSameFile(reader.identity, current.identity)) {
      await reader.close();
      return found;
    } else if (found.some(({ identity }) => isSameFile(reader.identity, identity))) {
      await reader.close();
    } else {
      found.unshift(reader);
    }
  }
  // There was nothing when it began, so that everything came after.
  if (current === undefined) return found;
  // The one that was read is gone altogether, and nothing tells which of the old ones came after it.
  const newest = found.pop();
  for (const older of found) await older.close();
  return newest === undefined ? [] : [newest];
}
