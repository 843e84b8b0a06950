import { dirname } from 'node:path';
import { fileIdentity, isSameFile, rotatedPath, targetOf } from '../sinks/file/rotation.ts';
import { type FileReader, openFile } from './file-reader.ts';
import { nextChange } from './next-change.ts';

/** How long a rotated file is read: a writer may still append a line to it. */
const FINAL_READ_MS = 2000;

interface RotatedFile {
  readonly reader: FileReader;
  /** Monotonic time. */
  readonly until: number;
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
      using change = nextChange(dirname(targetOf(path)), signal);
      const successors = await successorsOf(path, current);
      for (const { reader } of rotated) yield* reader.lines();
      if (current !== undefined) yield* current.lines();
      for (const successor of successors) {
        if (current !== undefined)
          rotated.push({ reader: current, until: performance.now() + FINAL_READ_MS });
        current = successor;
        yield* current.lines();
      }
      rotated = await closeFinished(rotated);
      await change.promise;
    }
  } finally {
    await current?.close();
    for (const { reader } of rotated) await reader.close();
  }
}

async function closeFinished(rotated: readonly RotatedFile[]): Promise<RotatedFile[]> {
  const atMs = performance.now();
  for (const { reader, until } of rotated) if (until <= atMs) await reader.close();
  return rotated.filter(({ until }) => until > atMs);
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
