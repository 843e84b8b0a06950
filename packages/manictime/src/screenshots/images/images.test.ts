import { UserError } from '@deskside/core/errors';
import { createJimp } from '@jimp/core';
import jpeg from '@jimp/js-jpeg';
import png from '@jimp/js-png';
import { beforeAll, describe, expect, test } from 'vitest';
import { picture } from '../../testing/generator/screenshots.ts';
import { type ImageJob, jpegSize } from './codec.ts';
import { transformImage } from './images.ts';
import * as jimpCodec from './jimp-codec.ts';
import * as sharpCodec from './sharp-codec.ts';

const Jimp = createJimp({ formats: [jpeg, png], plugins: [] });

async function pixelOf(bytes: Uint8Array, x: number, y: number): Promise<number[]> {
  const { bitmap } = await Jimp.fromBuffer(Buffer.from(bytes));
  const at = (y * bitmap.width + x) * 4;
  return [...bitmap.data.subarray(at, at + 3)].map((channel) => Math.round(channel / 64));
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

describe.each(['sharp', 'jimp'] as const)('the codec %s', (codec) => {
  const transform = (job: ImageJob) => transformImage(job, undefined, codec === 'jimp' ? codec : undefined);
  let bytes: Uint8Array;
  beforeAll(async () => {
    bytes = await picture(400, 200);
  });

  test.each([
    [{ left: 0, top: 0, width: 150, height: 80 }, RED],
    [{ left: 250, top: 10, width: 100, height: 60 }, GREEN],
    [{ left: 20, top: 120, width: 100, height: 60 }, BLUE],
  ])(`${codec} crops the region %o`, async (crop, color) => {
    const cropped = await transform({ bytes, crop, format: 'jpeg' });
    expect([...cropped.subarray(0, 2)]).toEqual([0xff, 0xd8]);
    expect(jpegSize(cropped)).toEqual({ width: crop.width, height: crop.height });
    expect(await pixelOf(cropped, crop.width / 2, crop.height / 2)).toEqual(color);
  });

  test(`${codec} is the one that runs`, async () => {
    const job = { bytes, longestSide: 100, format: 'jpeg' } as const;
    const [sharp, jimp] = await Promise.all([sharpCodec.transform(job), jimpCodec.transform(job)]);
    expect(Buffer.compare(sharp, jimp)).not.toBe(0);
    expect(Buffer.compare(await transform(job), codec === 'sharp' ? sharp : jimp)).toBe(0);
  });

  test(`${codec} crops the stored pixels, whatever the EXIF orientation says`, async () => {
    const crop = { left: 250, top: 10, width: 100, height: 60 };
    const cropped = await transform({ bytes: turned(bytes), crop, format: 'jpeg' });
    expect(jpegSize(cropped)).toEqual({ width: 100, height: 60 });
    expect(await pixelOf(cropped, 50, 30)).toEqual(GREEN);
  });

  test(`${codec} scales down and never up`, async () => {
    expect(jpegSize(await transform({ bytes, longestSide: 100, format: 'jpeg' }))).toEqual({
      width: 100,
      height: 50,
    });
    expect(jpegSize(await transform({ bytes, longestSide: 900, format: 'jpeg' }))).toEqual({
      width: 400,
      height: 200,
    });
    const small = await transform({ bytes, longestSide: 100, format: 'jpeg' });
    expect(await pixelOf(small, 75, 10)).toEqual(GREEN);
  });

  test(`${codec} writes a PNG`, async () => {
    const converted = await transform({ bytes, format: 'png' });
    expect([...converted.subarray(1, 4)]).toEqual([...Buffer.from('PNG')]);
    expect(await pixelOf(converted, 10, 10)).toEqual(RED);
  });

  test.each([
    ['no image', Buffer.from('garbage')],
    ['nothing', new Uint8Array()],
  ])(`${codec} rejects %s and continues with the next image`, async (_, broken) => {
    await expect(transform({ bytes: broken, format: 'jpeg' })).rejects.toThrow(UserError);
    expect((await transform({ bytes, format: 'jpeg' })).length).toBeGreaterThan(100);
  });

  test(`${codec} rejects a truncated JPEG`, async () => {
    await expect(transform({ bytes: bytes.subarray(0, 400), format: 'png' })).rejects.toThrow(
      'IMAGE_UNREADABLE',
    );
  });

  test(`${codec} does not decode an image of 30,000 x 30,000 pixels`, async () => {
    const huge = Uint8Array.from(bytes);
    const frame = huge.findIndex((byte, index) => byte === 0xff && huge[index + 1] === 0xc0);
    new DataView(huge.buffer).setUint16(frame + 5, 30_000);
    new DataView(huge.buffer).setUint16(frame + 7, 30_000);
    expect(jpegSize(huge)).toEqual({ width: 30_000, height: 30_000 });
    await expect(transform({ bytes: huge, format: 'jpeg' })).rejects.toMatchObject({
      failure: { code: 'IMAGE_TOO_LARGE' },
    });
  });
});

test('a cancelled image is rejected with the reason, and its thread ends', async () => {
  const controller = new AbortController();
  const job = { bytes: await picture(400, 200), format: 'png' } as const;
  const transformed = transformImage(job, controller.signal, 'jimp');
  controller.abort(new Error('the person stopped it'));
  await expect(transformed).rejects.toThrow('the person stopped it');
  await expect(transformImage(job, controller.signal, 'jimp')).rejects.toThrow('the person stopped it');
  await expect(transformImage(job, controller.signal)).rejects.toThrow('the person stopped it');
});
