import { setTimeout as wait } from 'node:timers/promises';
import { fileIdentity, isSameFile, rotatedPath } from '../sinks/file/rotation.ts';
import { type FileReader, openFile } from './file-reader.ts';

const POLL_MS = 100;
/** Polls of a rotated file: a writer may still append a line to it. */
const FINAL_POLLS = 20;

interface RotatedFile {
  readonly reader: FileReader;
  remainingPolls: number;
}

/**
 * Yields the lines that are appended to a file from now on, across rotations. The file may not exist yet.
 *
 * @param from the open file, which is closed at the end; undefined if it does not exist
 */
export async function* follow(
  path: string,
  from: FileReader | undefined,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let current = from;
  let rotated: RotatedFile[] = [];
  try {
    while (!signal.aborted) {
      const successors = await successorsOf(path, current);
      for (const { reader } of rotated) yield* reader.lines();
      if (current !== undefined) yield* current.lines();
      for (const successor of successors) {
        if (current !== undefined) rotated.push({ reader: current, remainingPolls: FINAL_POLLS });
        current = successor;
        yield* current.lines();
      }
      rotated = await closeFinished(rotated);
      await wait(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await current?.close();
    for (const { reader } of rotated) await reader.close();
  }
}

async function closeFinished(rotated: readonly RotatedFile[]): Promise<RotatedFile[]> {
  for (const each of rotated) {
    each.remainingPolls -= 1;
    if (each.remainingPolls === 0) await each.reader.close();
  }
  return rotated.filter(({ remainingPolls }) => remainingPolls > 0);
}

/** Attempts to list the files without a rotation in between. */
const MAX_WALKS = 50;

/** The files that replaced the current one since it was opened, oldest first. */
async function successorsOf(path: string, current: FileReader | undefined): Promise<FileReader[]> {
  for (let walks = 1; ; walks += 1) {
    const before = await fileIdentity(path);
    const found = await walk(path, current);
    const after = await fileIdentity(path);
    const isUnchanged = before === undefined ? after === undefined : after && isSameFile(before, after);
    if (isUnchanged === true || walks === MAX_WALKS) return found;
    // A rotation during the walk can put files into the wrong order.
    for (const reader of found) await reader.close();
  }
}

/** A concurrent rotation leaves at most one gap and may show a file twice. */
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
  // No file existed at the start, so all of them are new.
  if (current === undefined) return found;
  // The current file was deleted. Which of the older files came after it is unknown.
  const newest = found.pop();
  for (const older of found) await older.close();
  return newest === undefined ? [] : [newest];
}
