import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY, formatDate, localTime } from '../time/wall-clock.ts';

/** Days of the made-up data; the last is yesterday, which is over. */
const DAYS = 45;

/** Writes made-up data for the last weeks into a new temporary folder. */
export async function writeDemoFolder(): Promise<string> {
  const { writeDataFolder } = await import('@deskside/manictime-data');
  const folder = await mkdtemp(join(tmpdir(), 'deskside-manictime-demo-'));
  const yesterday = localTime(Math.floor(Date.now() / 1000)) - DAY;
  await writeDataFolder({
    folder,
    profile: 'light',
    days: DAYS,
    until: formatDate(yesterday),
    seed: 1,
    screenshotDays: 2,
  });
  return folder;
}
