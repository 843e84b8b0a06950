import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createJimp } from '@jimp/core';
import jpeg from '@jimp/js-jpeg';
import { DAY, HOUR, parseWallTime } from '@deskside/core/dates';
import { offsetAt, stamp } from './day.ts';
import { type DataOptions, PROFILES } from './options.ts';

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
  for (let day = screenshotDays - 1; day >= 0; day -= 1) {
    const midnight = (parseWallTime(until) ?? 0) - day * DAY;
    const target = join(folder, 'Screenshots', stamp(midnight).slice(0, 10));
    mkdirSync(target, { recursive: true });
    for (let shot = 0; shot < shots; shot += 1) {
      const local = midnight + 9 * HOUR + Math.floor((shot * 8 * HOUR) / shots);
      const offset = offsetAt(local - HOUR) / HOUR;
      sequence += 1;
      const time = stamp(local).replace(' ', '_').replaceAll(':', '-');
      const name = `${time}_${String(offset).padStart(2, '0')}-00_${WIDTH}_${HEIGHT}_${sequence}_0`;
      writeFileSync(join(target, `${name}.jpg`), full);
      writeFileSync(join(target, `${name}.thumbnail.jpg`), thumbnail);
    }
  }
}

const Jimp = createJimp({ formats: [jpeg], plugins: [] });

/** A JPEG with four quarters (red, green, blue, white), so that the color identifies a crop. */
export async function picture(width: number, height: number): Promise<Uint8Array> {
  const image = new Jimp({ width, height });
  const { data } = image.bitmap;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const right = x >= width / 2;
      const lower = y >= height / 2;
      const at = (y * width + x) * 4;
      data[at] = !right || !lower ? (right ? 0 : lower ? 0 : 220) : 255;
      data[at + 1] = right ? (lower ? 255 : 180) : 0;
      data[at + 2] = lower ? 255 : 0;
      data[at + 3] = 255;
    }
  }
  return image.getBuffer('image/jpeg', { quality: 80 });
}
