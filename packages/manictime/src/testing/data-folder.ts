import { mkdirSync } from 'node:fs';
import { writeDatabase } from './generator/database.ts';
import type { DataOptions } from './generator/options.ts';
import { writeScreenshots } from './generator/screenshots.ts';

/** Writes a data folder with ManicTime's layout, for tests and benchmarks. The same options give the same content. */
export async function writeDataFolder(options: DataOptions): Promise<void> {
  mkdirSync(options.folder, { recursive: true });
  writeDatabase(options);
  await writeScreenshots(options);
}
