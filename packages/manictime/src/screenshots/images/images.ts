import { UserError } from '@deskside/core/errors';
import { type ImageJob, jpegSize } from './codec.ts';

/** Larger images are not decoded. A 4K screen has 8 million pixels. */
const MAX_PIXELS = 64_000_000;
const JPEG_QUALITY = 85;

/**
 * Crops, scales or converts an image beside the event loop. Nothing else decodes images. Regions are of the stored pixels,
 * whatever the EXIF orientation says.
 *
 * @throws UserError IMAGE_UNREADABLE, IMAGE_TOO_LARGE or UNAVAILABLE
 */
export async function transformImage(
  { bytes, crop, longestSide, format }: ImageJob,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const size = jpegSize(bytes);
  if (size === undefined) throw unreadable();
  if (size.width * size.height > MAX_PIXELS) throw tooLarge(size.width, size.height);
  const sharp = await loadSharp();
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
  const written = format === 'png' ? image.png() : image.jpeg({ quality: JPEG_QUALITY });
  const transformed = await written.toBuffer().catch((error: unknown) => {
    throw unreadable(error);
  });
  signal?.throwIfAborted();
  return transformed;
}

/** An optional dependency: without it, all that decodes no image still works. */
async function loadSharp() {
  try {
    return (await import('sharp')).default;
  } catch (error) {
    throw unavailable(error);
  }
}

/** The error for bytes that are not a complete image. */
export function unreadable(cause?: unknown): UserError {
  return new UserError(
    {
      code: 'IMAGE_UNREADABLE',
      error: 'The screenshot cannot be decoded: the JPEG file is incomplete or corrupt.',
      hint: (toolName) => `Choose another screenshot near that time with ${toolName('list_screenshots')}.`,
    },
    { cause },
  );
}

function unavailable(cause: unknown): UserError {
  return new UserError(
    {
      code: 'UNAVAILABLE',
      error: 'The image library (sharp) does not load, so the screenshot cannot be decoded.',
      hint: (toolName) =>
        `Use ${toolName('get_screenshot')}, which usually needs no image library, or ask the person to install the server again with optional dependencies.`,
    },
    { cause },
  );
}

function tooLarge(width: number, height: number): UserError {
  return new UserError({
    code: 'IMAGE_TOO_LARGE',
    error: `The screenshot has ${width}x${height} pixels, which exceeds the limit of ${MAX_PIXELS} pixels.`,
    hint: (toolName) => `Use ${toolName('get_screenshot')}, which returns the image without decoding it.`,
  });
}
