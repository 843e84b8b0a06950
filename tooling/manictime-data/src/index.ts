import { mkdirSync } from 'node:fs';
import { writeDatabase } from './database.ts';
import type { DataOptions } from './options.ts';
import { writeScreenshots } from './screenshots.ts';

export type { ColumnLayout, DataOptions, ProfileName } from './options.ts';
export { picture } from './picture.ts';
export { schemaOf } from './schema.ts';

/** Writes a data folder as ManicTime would have left it. The same options make the same folder. */
export async function writeDataFolder(options: DataOptions): Promise<void> {
  mkdirSync(options.folder, { recursive: true });
  writeDatabase(options);
  await writeScreenshots(options);
}
