import { createJimp } from '@jimp/core';
import jpeg from '@jimp/js-jpeg';
import png from '@jimp/js-png';
import { methods as crop } from '@jimp/plugin-crop';
import { fitted, type ImageCodec, type ImageJob, JPEG_QUALITY } from './codec.ts';
import { scaleDown } from './scale-down.ts';

const Jimp = createJimp({ formats: [jpeg, png], plugins: [crop] });

/** Pure JavaScript, for machines where sharp does not load. */
export const jimpCodec: ImageCodec = {
  name: 'jimp',
  async run({ bytes, crop: part, longestSide, format }: ImageJob) {
    const image = await Jimp.fromBuffer(Buffer.from(bytes), { 'image/jpeg': { maxMemoryUsageInMB: 1024 } });
    if (part !== undefined) image.crop({ x: part.left, y: part.top, w: part.width, h: part.height });
    const shrunk = longestSide === undefined ? image : new Jimp(shrink(image.bitmap, longestSide));
    return format === 'png'
      ? shrunk.getBuffer('image/png')
      : shrunk.getBuffer('image/jpeg', { quality: JPEG_QUALITY });
  },
};

function shrink(
  bitmap: { readonly data: Buffer; readonly width: number; readonly height: number },
  side: number,
) {
  return scaleDown(bitmap, fitted(bitmap.width, bitmap.height, side));
}
