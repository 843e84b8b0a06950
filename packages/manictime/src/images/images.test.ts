import { picture } from '@deskside/manictime-data';
import { createJimp } from '@jimp/core';
import jpeg from '@jimp/js-jpeg';
import png from '@jimp/js-png';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Problem } from '../problem.ts';
import { openImages } from './images.ts';
import { jpegSize } from './jpeg-size.ts';

const Jimp = createJimp({ formats: [jpeg, png], plugins: [] });

async function pixelOf(bytes: Uint8Array, x: number, y: number): Promise<number[]> {
  const { bitmap } = await Jimp.fromBuffer(Buffer.from(bytes));
  const at = (y * bitmap.width + x) * 4;
  return [...bitmap.data.subarray(at, at + 3)].map((channel) => Math.round(channel / 64));
}

const RED = [3, 0, 0];
const GREEN = [0, 3, 0];
const BLUE = [0, 0, 4];

describe.each(['sharp', 'jimp'] as const)('the codec %s', (codec) => {
  const images = openImages(codec);
  let bytes: Uint8Array;
  beforeAll(async () => {
    bytes = await picture(400, 200);
  });
  afterAll(() => images[Symbol.asyncDispose]());

  test.each([
    [{ left: 0, top: 0, width: 150, height: 80 }, RED],
    [{ left: 250, top: 10, width: 100, height: 60 }, GREEN],
    [{ left: 20, top: 120, width: 100, height: 60 }, BLUE],
  ])('cuts out %o', async (crop, color) => {
    const cropped = await images.transform({ bytes, crop, format: 'jpeg' });
    expect([...cropped.subarray(0, 2)]).toEqual([0xff, 0xd8]);
    expect(jpegSize(cropped)).toEqual({ width: crop.width, height: crop.height });
    expect(await pixelOf(cropped, crop.width / 2, crop.height / 2)).toEqual(color);
  });

  test('scales down, and never up', async () => {
    expect(jpegSize(await images.transform({ bytes, longestSide: 100, format: 'jpeg' }))).toEqual({
      width: 100,
      height: 50,
    });
    expect(jpegSize(await images.transform({ bytes, longestSide: 900, format: 'jpeg' }))).toEqual({
      width: 400,
      height: 200,
    });
    const small = await images.transform({ bytes, longestSide: 100, format: 'jpeg' });
    expect(await pixelOf(small, 75, 10)).toEqual(GREEN);
  });

  test('writes a real PNG', async () => {
    const converted = await images.transform({ bytes, format: 'png' });
    expect([...converted.subarray(1, 4)]).toEqual([...Buffer.from('PNG')]);
    expect(await pixelOf(converted, 10, 10)).toEqual(RED);
  });

  test.each([
    ['no image', Buffer.from('garbage that is no image at all')],
    ['nothing', new Uint8Array()],
  ])('refuses %s, and goes on', async (_, broken) => {
    await expect(images.transform({ bytes: broken, format: 'jpeg' })).rejects.toThrow(Problem);
    expect((await images.transform({ bytes, format: 'jpeg' })).length).toBeGreaterThan(100);
  });

  test('refuses a JPEG that was cut off', async () => {
    await expect(images.transform({ bytes: bytes.subarray(0, 400), format: 'png' })).rejects.toThrow(
      'damaged',
    );
  });

  test('refuses 30,000 pixels square before it decodes them', async () => {
    const huge = Uint8Array.from(bytes);
    const frame = huge.findIndex((byte, index) => byte === 0xff && huge[index + 1] === 0xc0);
    new DataView(huge.buffer).setUint16(frame + 5, 30_000);
    new DataView(huge.buffer).setUint16(frame + 7, 30_000);
    expect(jpegSize(huge)).toEqual({ width: 30_000, height: 30_000 });
    await expect(images.transform({ bytes: huge, format: 'jpeg' })).rejects.toMatchObject({
      text: { code: 'IMAGE_TOO_LARGE' },
    });
  });
});
