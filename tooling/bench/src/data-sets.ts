import { temporaryFolder } from '@deskside/core/testing';
import { writeDataFolder } from '@deskside/manictime/testing';

/** The last day of every data set. */
export const LAST_DAY = '2026-11-20';

/** Writes a data set of the typical profile (half a minute for five years), uses it, and removes it. */
export async function withDataSet<T>(
  years: number,
  work: (folder: string) => Promise<T>,
  screenshotDays = 0,
): Promise<T> {
  using folder = temporaryFolder();
  const { path } = folder;
  const days = Math.round(years * 365.25);
  await writeDataFolder({ folder: path, profile: 'typical', days, until: LAST_DAY, seed: 7, screenshotDays });
  return await work(path);
}
