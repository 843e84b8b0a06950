import { mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY, formatDate, localTime } from '@deskside/core/dates';
import { noTemporaryFolder } from '../database/file.ts';
import { writeDatabase } from './database.ts';
import type { DataOptions } from './options.ts';
import { writeScreenshots } from './screenshots.ts';

const DEMO_DAYS = 45;

/** Writes demo data that ends yesterday into a new temporary folder. @returns the folder @throws UserError UNAVAILABLE */
export async function writeDemoFolder(): Promise<string> {
  let folder: string | undefined;
  try {
    folder = await mkdtemp(join(tmpdir(), 'deskside-manictime-demo-'));
    const yesterday = localTime(Math.floor(Date.now() / 1000)) - DAY;
    const until = formatDate(yesterday);
    await writeDataFolder({ folder, profile: 'light', days: DEMO_DAYS, until, seed: 1, screenshotDays: 2 });
    return folder;
  } catch (error) {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    throw noTemporaryFolder('The demo data could not be written.', error);
  }
}

/** Writes a data folder with ManicTime's layout. The same options give the same content. */
export async function writeDataFolder(options: DataOptions): Promise<void> {
  mkdirSync(options.folder, { recursive: true });
  writeDatabase(options);
  await writeScreenshots(options);
}
