import { mkdirSync } from 'node:fs';
import { type DataOptions, writeDatabase } from './generated-database.ts';
import { writeScreenshots } from './generated-screenshots.ts';

/** Writes a data folder with ManicTime's layout, for tests and benchmarks. The same options give the same content. */
export async function writeDataFolder(options: DataOptions): Promise<void> {
  mkdirSync(options.folder, { recursive: true });
  writeDatabase(options);
  await writeScreenshots(options);
}
