import { mkdirSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY, formatDate, localTime } from '@deskside/core/dates';
import { writeDatabase } from './database.ts';
import type { DataOptions } from './options.ts';
import { writeScreenshots } from './screenshots.ts';

const DEMO_DAYS = 45;

/** Writes demo data that ends yesterday into a new temporary folder. @returns the folder */
export async function writeDemoFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'deskside-manictime-demo-'));
  const yesterday = localTime(Math.floor(Date.now() / 1000)) - DAY;
  await writeDataFolder({
    folder,
    profile: 'light',
    days: DEMO_DAYS,
    until: formatDate(yesterday),
    seed: 1,
    screenshotDays: 2,
  });
  return folder;
}

/** Writes a data folder with ManicTime's layout. The same options give the same content. */
export async function writeDataFolder(options: DataOptions): Promise<void> {
  mkdirSync(options.folder, { recursive: true });
  writeDatabase(options);
  await writeScreenshots(options);
}
