import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The paths of all files in a folder and its folders. */
export function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}
