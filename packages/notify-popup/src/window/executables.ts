import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

export type IsExecutable = (path: string) => Promise<boolean>;

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The first of these paths that can be run. */
export async function firstExecutable(
  paths: readonly string[],
  isThere: IsExecutable = isExecutable,
): Promise<string | undefined> {
  for (const path of paths) if (await isThere(path)) return path;
  return undefined;
}

/** Where programs of these names would lie, in the order of the names. */
export function onPath(names: readonly string[], path: string | undefined): string[] {
  const folders = (path ?? '').split(delimiter).filter((folder) => folder !== '');
  return names.flatMap((name) => folders.map((folder) => join(folder, name)));
}
