import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { UserError } from '@deskside/core/errors';
import { type ImageJob, jpegSize } from './codec.ts';

/** Larger images are not decoded. A 4K screen has 8 million pixels. */
const MAX_PIXELS = 64_000_000;

let last: Promise<unknown> = Promise.resolve();

/**
 * Crops, scales or converts an image beside the event loop. Nothing else decodes images.
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
  const sharp = codec === 'jimp' ? undefined : await loadSharp();
  if (sharp === undefined) {
    // One after the other: each needs several bytes per pixel.
    const answer = last.then(() => transformWithJimp(job, signal));
    last = answer.catch(() => {
      // Reported to its caller; the next image is transformed.
    });
    return answer;
  }
  const transformed = await sharp.transform(job).catch((error: unknown) => {
    throw unreadable(error);
  });
  signal?.throwIfAborted();
  return transformed;
}

async function loadSharp() {
  try {
    return await import('./sharp-codec.ts');
  } catch {
    // An optional dependency, which is not there for every system.
    return undefined;
  }
}

/** A thread per image: pure JavaScript takes seconds for one. */
async function transformWithJimp(job: ImageJob, signal: AbortSignal | undefined): Promise<Uint8Array> {
  signal?.throwIfAborted();
  // Of the package, because sources, built files and bundles are in different folders.
  const file = createRequire(import.meta.url).resolve('@deskside/manictime/image-worker');
  const worker = new Worker(pathToFileURL(file), { workerData: job });
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  worker.on('message', (answer: { readonly bytes: Uint8Array } | { readonly reason: string }) =>
    'bytes' in answer ? resolve(answer.bytes) : reject(unreadable(answer.reason)),
  );
  worker.on('error', (error) => reject(unavailable(error)));
  worker.on('exit', () => reject(unavailable('the thread ended')));
  const abort = () => reject(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await promise;
  } finally {
    signal?.removeEventListener('abort', abort);
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
