import { once } from 'node:events';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { UserError } from '@deskside/core/errors';
import { type ImageJob, JPEG_QUALITY, jpegSize } from './codec.ts';

/** Larger images are not decoded. A 4K screen has 8 million pixels. */
const MAX_PIXELS = 64_000_000;

let last: Promise<unknown> = Promise.resolve();

/**
 * Crops, scales or converts an image beside the event loop. Nothing else decodes images. Regions are of the stored pixels,
 * whatever the EXIF orientation says.
 *
 * @param codec for tests; default: sharp if it loads
 * @throws UserError IMAGE_UNREADABLE, IMAGE_TOO_LARGE or UNAVAILABLE
 */
export async function transformImage(
  job: ImageJob,
  signal?: AbortSignal,
  codec?: 'jimp',
): Promise<Uint8Array> {
  const size = jpegSize(job.bytes);
  if (size === undefined) throw unreadable();
  if (size.width * size.height > MAX_PIXELS) throw tooLarge(size.width, size.height);
  // An optional dependency, which is not there for every system.
  const sharp = codec === 'jimp' ? undefined : await import('sharp').catch(() => undefined);
  if (sharp === undefined) {
    // One after the other: each needs several bytes per pixel.
    const answer = last.catch(() => undefined).then(() => transformWithJimp(job, signal));
    last = answer;
    return answer;
  }
  const { crop, longestSide, format } = job;
  let image = sharp.default(job.bytes, { failOn: 'error' });
  if (crop !== undefined) image = image.extract({ ...crop });
  if (longestSide !== undefined) {
    const fit = { fit: 'inside', withoutEnlargement: true } as const;
    image = image.resize({ width: longestSide, height: longestSide, ...fit });
  }
  const written = format === 'png' ? image.png() : image.jpeg({ quality: JPEG_QUALITY });
  const transformed = await written.toBuffer().catch((error: unknown) => {
    throw unreadable(error);
  });
  signal?.throwIfAborted();
  return transformed;
}

type JimpAnswer = { readonly bytes: Uint8Array } | { readonly reason: string };

/** A thread per image: pure JavaScript takes seconds for one. */
async function transformWithJimp(job: ImageJob, signal: AbortSignal | undefined): Promise<Uint8Array> {
  signal?.throwIfAborted();
  // Of the package, because sources, built files and bundles are in different folders.
  const file = createRequire(import.meta.url).resolve('@deskside/manictime/image-worker');
  const worker = new Worker(pathToFileURL(file), { workerData: job });
  try {
    const [answer]: JimpAnswer[] = await once(worker, 'message', { signal }).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw unavailable(error);
    });
    if (answer === undefined || 'reason' in answer) throw unreadable(answer?.reason);
    return answer.bytes;
  } finally {
    void worker.terminate();
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

/** The error if no image library loads, or its thread ends. The image may be good. */
function unavailable(cause: unknown): UserError {
  return new UserError(
    {
      code: 'UNAVAILABLE',
      error: 'The image library does not work, so the screenshot cannot be decoded.',
      hint: (toolName) =>
        `Use ${toolName('get_screenshot')}, which usually needs no image library, or ask the person to install the server again.`,
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
