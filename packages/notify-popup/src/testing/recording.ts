import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { readPixels } from './picture.ts';

const FRAME_MS = 100;

export interface Recording {
  /** Ends it and writes an animated WebP, in which a frame lasts until the screen changed. */
  write(path: string): Promise<void>;
}

/**
 * Records the screen.
 *
 * @param folder the one that the virtual screen has in `-fbdir`
 */
export function record(folder: string, size: { readonly width: number; readonly height: number }): Recording {
  const frames: { readonly pixels: Buffer; readonly at: number }[] = [];
  const timer = setInterval(() => {
    const pixels = readPixels(readFileSync(join(folder, 'Xvfb_screen0')), { ...size, x: 0, y: 0 });
    if (frames.at(-1)?.pixels.equals(pixels) !== true) frames.push({ pixels, at: performance.now() });
  }, FRAME_MS);
  return {
    async write(path) {
      clearInterval(timer);
      const end = performance.now();
      const delays = frames.map(({ at }, index) => Math.round((frames[index + 1]?.at ?? end) - at));
      const images = await Promise.all(
        frames.map(({ pixels }) =>
          sharp(pixels, { raw: { ...size, channels: 3 } })
            .png()
            .toBuffer(),
        ),
      );
      await sharp(images, { join: { animated: true } })
        .webp({ delay: delays, loop: 0, lossless: true, effort: 6 })
        .toFile(path);
    },
  };
}
