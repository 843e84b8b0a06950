import { createJimp } from '@jimp/core';
import jpeg from '@jimp/js-jpeg';

const Jimp = createJimp({ formats: [jpeg], plugins: [] });

/** A JPEG of four quarters: red, green, blue and white, so that a crop can be told by its colour. */
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
