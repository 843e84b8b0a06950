import { isSameFile, rotatedPath } from '../sinks/file/rotation.ts';
import { type FileReader, openFile } from './file-reader.ts';

/** The newest file there is, ready for what is appended from now on. */
export async function openNewest(path: string): Promise<FileReader | undefined> {
  return (await openFile(path, 'end')) ?? openFile(rotatedPath(path, 1), 'end');
}

/**
 * The last lines that something can be made of, oldest first, from the rotated files too where the newest has
 * too few.
 *
 * @param newest where it stands, the last line ends
 * @param read undefined for a line that does not count
 */
export async function lastLines<T>(
  path: string,
  newest: FileReader | undefined,
  count: number,
  read: (line: string) => T | undefined,
): Promise<T[]> {
  const found: T[] = [];
  const add = (lines: readonly string[]) => {
    found.unshift(
      ...lines
        .map(read)
        .filter((each) => each !== undefined)
        .slice(-count),
    );
  };
  if (count === 0 || newest === undefined) return [];
  add(await newest.earlierLines());
  for (let age = 1; found.length < count; age += 1) {
    const older = await openFile(rotatedPath(path, age), 'end');
    if (older === undefined) break;
    if (!isSameFile(older.identity, newest.identity)) add(await older.earlierLines());
    await older.close();
  }
  return found.slice(-count);
}
