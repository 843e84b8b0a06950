import sharp from 'sharp';
import { type ImageJob, JPEG_QUALITY } from './codec.ts';

/** libvips: fast and native. Importing this module fails if the native binary is not installed. */
export async function transform({ bytes, crop, longestSide, format }: ImageJob): Promise<Uint8Array> {
  let image = sharp(bytes, { failOn: 'error' });
  if (crop !== undefined) image = image.extract({ ...crop });
  if (longestSide !== undefined) {
    image = image.resize({
      width: longestSide,
      height: longestSide,
      fit: 'inside',
      withoutEnlargement: true,
    });
  }
  return (format === 'png' ? image.png() : image.jpeg({ quality: JPEG_QUALITY })).toBuffer();
}
