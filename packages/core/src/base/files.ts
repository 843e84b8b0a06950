import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Replaces a file in one step, so that no program reads half of it. Creates its folder, with mode 0700.
 *
 * @param mode of the new file; default: private
 */
export async function replaceFile(file: string, text: string, mode = 0o600): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, text, { mode });
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}

/** The names in a folder; none if the folder does not exist or cannot be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
