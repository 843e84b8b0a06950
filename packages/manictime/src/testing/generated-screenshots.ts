import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAY, formatDate, HOUR, parseWallTime } from '@deskside/core/dates';
import sharp from 'sharp';
import { stemOf } from '../screenshots/shot.ts';
import { type DataOptions, PROFILES } from './generated-database.ts';

const WIDTH = 1280;
const HEIGHT = 720;

/** Writes screenshots in ManicTime's layout: one folder per day, each image with a thumbnail. */
export async function writeScreenshots({
  folder,
  profile,
  until,
  screenshotDays = 0,
}: DataOptions): Promise<void> {
  if (screenshotDays === 0) return;
  const { shots } = PROFILES[profile];
  const full = await picture(WIDTH, HEIGHT);
  const thumbnail = await picture(320, 180);
  let sequence = 500_000;
  // From nine in the morning to midnight: on Fridays the person works so long.
  for (let day = screenshotDays - 1; day >= 0; day -= 1) {
    const midnight = (parseWallTime(until) ?? 0) - day * DAY;
    const target = join(folder, 'Screenshots', formatDate(midnight));
    mkdirSync(target, { recursive: true });
    for (let shot = 0; shot < shots; shot += 1) {
      const local = midnight + 9 * HOUR + Math.floor((shot * 15 * HOUR) / shots);
      sequence += 1;
      const name = stemOf({ local, offset: 60, width: WIDTH, height: HEIGHT, sequence, monitor: 0 });
      writeFileSync(join(target, `${name}.jpg`), full);
      writeFileSync(join(target, `${name}.thumbnail.jpg`), thumbnail);
    }
  }
}

/** A JPEG with four quarters (red, green, blue, white), so that the color identifies a crop. */
export async function picture(width: number, height: number): Promise<Uint8Array> {
  const quarters = [220, 0, 0, 0, 180, 0, 0, 0, 255, 255, 255, 255];
  return sharp(Buffer.from(quarters), { raw: { width: 2, height: 2, channels: 3 } })
    .resize({ width, height, kernel: 'nearest', fit: 'fill' })
    .jpeg({ quality: 80 })
    .toBuffer();
}
