import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { picture } from '../../testing/generated-screenshots.ts';
import { type ImageJob, jpegSize } from './codec.ts';
import { transformImage } from './images.ts';

async function pixelOf(bytes: Uint8Array, left: number, top: number): Promise<number[]> {
  const pixel = sharp(bytes).extract({ left, top, width: 1, height: 1 }).removeAlpha().raw();
  return Array.from(await pixel.toBuffer(), (channel) => Math.round(channel / 64));
}

/** With an EXIF orientation: to be turned by 90 degrees. */
function turned(jpeg: Uint8Array): Uint8Array {
  // A big-endian TIFF header and one entry: tag 0112, a short, 6.
  const exif = Buffer.from('4578696600004d4d002a00000008000101120003000000010006000000000000', 'hex');
  const header = Buffer.from([0xff, 0xe1, 0, exif.length + 2]);
  return Buffer.concat([jpeg.subarray(0, 2), header, exif, jpeg.subarray(2)]);
}

const RED = [3, 0, 0];
const GREEN = [0, 3, 0];
const BLUE = [0, 0, 4];

let bytes: Uint8Array;
beforeAll(async () => {
  bytes = await picture(400, 200);
});

function huge(): Uint8Array {
  const image = Uint8Array.from(bytes);
  const frame = image.findIndex((byte, index) => byte === 0xff && image[index + 1] === 0xc0);
  new DataView(image.buffer).setUint16(frame + 5, 30_000);
  new DataView(image.buffer).setUint16(frame + 7, 30_000);
  return image;
}

describe.each(['sharp', 'jimp'] as const)('the codec %s', (codec) => {
  const transform = (job: ImageJob) => transformImage(job, undefined, codec === 'jimp' ? codec : undefined);

  test.each([
    [{ left: 0, top: 0, width: 150, height: 80 }, RED],
    [{ left: 250, top: 10, width: 100, height: 60 }, GREEN],
    [{ left: 20, top: 120, width: 100, height: 60 }, BLUE],
  ])(`${codec} crops the region %o`, async (crop, color) => {
    // The stored pixels, whatever the EXIF orientation says.
    for (const image of [bytes, turned(bytes)]) {
      const cropped = await transform({ bytes: image, crop, format: 'jpeg' });
      expect([...cropped.subarray(0, 2)]).toEqual([0xff, 0xd8]);
      expect(jpegSize(cropped)).toEqual({ width: crop.width, height: crop.height });
      expect(await pixelOf(cropped, crop.width / 2, crop.height / 2)).toEqual(color);
    }
  });

  test(`${codec} scales an image down and never up, and writes a PNG`, async () => {
    const small = await transform({ bytes, longestSide: 100, format: 'jpeg' });
    expect(jpegSize(small)).toEqual({ width: 100, height: 50 });
    expect(await pixelOf(small, 75, 10)).toEqual(GREEN);
    const same = await transform({ bytes, longestSide: 900, format: 'jpeg' });
    expect(jpegSize(same)).toEqual({ width: 400, height: 200 });
    const converted = await transform({ bytes, format: 'png' });
    expect([...converted.subarray(1, 4)]).toEqual([...Buffer.from('PNG')]);
    expect(await pixelOf(converted, 10, 10)).toEqual(RED);
  });

  test.each([
    ['no image', () => Buffer.from('garbage'), 'IMAGE_UNREADABLE'],
    ['nothing', () => new Uint8Array(), 'IMAGE_UNREADABLE'],
    ['a truncated JPEG', () => bytes.subarray(0, 400), 'IMAGE_UNREADABLE'],
    ['an image of 30,000 x 30,000 pixels', huge, 'IMAGE_TOO_LARGE'],
  ])(`${codec} rejects %s`, async (_, image, code) => {
    const job = { bytes: image(), format: 'png' } as const;
    await expect(transform(job)).rejects.toMatchObject({ failure: { code } });
  });
});

test('a cancelled image is rejected with the reason', async () => {
  const signal = AbortSignal.abort(new Error('the person stopped it'));
  for (const codec of [undefined, 'jimp'] as const)
    await expect(transformImage({ bytes, format: 'png' }, signal, codec)).rejects.toThrow(
      'the person stopped it',
    );
});
