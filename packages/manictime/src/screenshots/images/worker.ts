import { parentPort, workerData } from 'node:worker_threads';
import { createJimp } from '@jimp/core';
import jpeg from '@jimp/js-jpeg';
import png from '@jimp/js-png';
import { methods as crop } from '@jimp/plugin-crop';
import { type ImageJob, type ImageSize, JPEG_QUALITY } from './codec.ts';

const Jimp = createJimp({ formats: [jpeg, png], plugins: [crop] });
const JPEG = jpeg();

/** Pure JavaScript, for machines on which sharp does not load. */
async function transform({ bytes, crop: part, longestSide, format }: ImageJob): Promise<Uint8Array> {
  // "fromBuffer" of Jimp turns images as their EXIF orientation says: regions are of the stored pixels.
  const image = new Jimp(JPEG.decode(Buffer.from(bytes), { maxMemoryUsageInMB: 1024 }));
  if (part !== undefined) image.crop({ x: part.left, y: part.top, w: part.width, h: part.height });
  const shrunk = longestSide === undefined ? image : new Jimp(scaleDown(image.bitmap, longestSide));
  return format === 'png'
    ? shrunk.getBuffer('image/png')
    : shrunk.getBuffer('image/jpeg', { quality: JPEG_QUALITY });
}

/** RGBA, row by row. */
interface Bitmap extends ImageSize {
  readonly data: Buffer;
}

/** Scales down until no side is longer, by averaging the pixels that each new pixel covers. Never scales up. */
function scaleDown(bitmap: Bitmap, longestSide: number): Bitmap {
  const scale = Math.min(1, longestSide / Math.max(bitmap.width, bitmap.height));
  const width = Math.max(1, Math.round(bitmap.width * scale));
  const height = Math.max(1, Math.round(bitmap.height * scale));
  const data = Buffer.alloc(width * height * 4);
  for (let y = 0; y < height; y += 1) {
    const rows = covered(y, height, bitmap.height);
    for (let x = 0; x < width; x += 1) {
      writeMean(data, (y * width + x) * 4, bitmap, rows, covered(x, width, bitmap.width));
    }
  }
  return { data, width, height };
}

type Range = readonly [from: number, to: number];

function covered(index: number, size: number, original: number): Range {
  const from = Math.floor((index * original) / size);
  return [from, Math.max(from + 1, Math.floor(((index + 1) * original) / size))];
}

function writeMean(target: Buffer, at: number, { data, width }: Bitmap, rows: Range, columns: Range): void {
  const sums = [0, 0, 0, 0];
  for (let y = rows[0]; y < rows[1]; y += 1) {
    for (let x = columns[0]; x < columns[1]; x += 1) {
      for (let channel = 0; channel < 4; channel += 1) {
        sums[channel] = (sums[channel] ?? 0) + (data[(y * width + x) * 4 + channel] ?? 0);
      }
    }
  }
  const count = (rows[1] - rows[0]) * (columns[1] - columns[0]);
  for (const [channel, sum] of sums.entries()) target[at + channel] = Math.round(sum / count);
}

const port = parentPort;
if (port !== null) {
  const job: ImageJob = workerData;
  const answer = await transform(job).then(
    (bytes) => ({ bytes }),
    // The bytes are not an image.
    (error: unknown) => ({ reason: String(error) }),
  );
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a browser window
  port.postMessage(answer);
}
