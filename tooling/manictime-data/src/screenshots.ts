import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { offsetAt, stamp, utcMidnight } from './clock.ts';
import { picture } from './picture.ts';
import { type DataOptions, PROFILES } from './options.ts';

const DAY = 86_400;
const WIDTH = 1280;
const HEIGHT = 720;

/** Writes the days' screenshots as ManicTime does: a folder a day, an image and its thumbnail. */
export async function writeScreenshots({
  folder,
  profile,
  until,
  screenshotDays = 0,
}: DataOptions): Promise<void> {
  if (screenshotDays === 0) return;
  const { shots, monitors } = PROFILES[profile];
  const full = await picture(WIDTH, HEIGHT);
  const thumbnail = await picture(320, 180);
  let sequence = 500_000;
  for (let day = screenshotDays - 1; day >= 0; day -= 1) {
    const midnight = utcMidnight(until) - day * DAY;
    const target = join(folder, 'Screenshots', stamp(midnight).slice(0, 10));
    mkdirSync(target, { recursive: true });
    for (let shot = 0; shot < shots; shot += 1) {
      const local = midnight + 9 * 3600 + Math.floor((shot * 8 * 3600) / shots);
      const offset = offsetAt(local - 3600) / 3600;
      for (let monitor = 0; monitor < monitors; monitor += 1) {
        sequence += 1;
        const time = stamp(local).replace(' ', '_').replaceAll(':', '-');
        const name = `${time}_${String(offset).padStart(2, '0')}-00_${WIDTH}_${HEIGHT}_${sequence}_${monitor}`;
        writeFileSync(join(target, `${name}.jpg`), full);
        writeFileSync(join(target, `${name}.thumbnail.jpg`), thumbnail);
      }
    }
  }
}
