import { mkdirSync } from 'node:fs';
import { type DataOptions, writeDatabase } from './generated-database.ts';
import { writeScreenshots } from './generated-screenshots.ts';

/** Until a Friday. */
export const FORTY_DAYS = {
  profile: 'light',
  days: 40,
  until: '2026-11-20',
  seed: 1,
  screenshotDays: 1,
} as const;

/** Writes a data folder with ManicTime's layout, for tests and benchmarks. The same options give the same content. */
export async function writeDataFolder(options: DataOptions): Promise<void> {
  mkdirSync(options.folder, { recursive: true });
  writeDatabase(options);
  await writeScreenshots(options);
}
