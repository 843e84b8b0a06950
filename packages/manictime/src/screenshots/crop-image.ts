import type { ImageFormat } from '../images/codec.ts';
import type { Images } from '../images/images.ts';
import { jpegSize } from '../images/jpeg-size.ts';
import { pixelsOf, type Region } from './crop.ts';

/** The region of an image, by the size the image itself states: file names may lie. */
export function cropImage(
  images: Images,
  bytes: Uint8Array,
  region: Region,
  format: ImageFormat,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const crop = pixelsOf(region, jpegSize(bytes) ?? { width: 1, height: 1 });
  return images.transform({ bytes, crop, format }, signal);
}
