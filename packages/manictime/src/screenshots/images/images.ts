import { UserError } from '@deskside/core/errors';
import { type ImageJob, jpegSize, type Rectangle } from './codec.ts';
import { Thread } from '../../thread.ts';

/** Larger images are not decoded. A 4K screen has 8 million pixels. */
const MAX_PIXELS = 64_000_000;

/** The only module that decodes images. */
export interface Images extends AsyncDisposable {
  /** @throws UserError IMAGE_UNREADABLE, IMAGE_TOO_LARGE or UNAVAILABLE */
  transform(job: ImageJob, signal?: AbortSignal): Promise<Uint8Array>;
}

/** Decodes in a thread, so that the event loop stays free. @param codec for tests; default: sharp if it loads */
export function openImages(codec?: 'jimp'): Images {
  const thread = new Thread<{ readonly job: ImageJob }, string>({
    entry: 'image-worker',
    workerData: codec,
    idleMs: IDLE_MS,
    errorOf: (message) => new DecodeError(message),
  });
  return {
    async transform(job, signal) {
      const size = jpegSize(job.bytes);
      if (size === undefined) throw unreadable();
      if (size.width * size.height > MAX_PIXELS) throw tooLarge(size.width, size.height);
      if (job.crop !== undefined && !isWithin(job.crop, size.width, size.height)) throw unreadable();
      try {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the thread answers with bytes
        return (await thread.run({ job }, signal)) as Uint8Array;
      } catch (error) {
        signal?.throwIfAborted();
        throw error instanceof DecodeError ? unreadable(error) : unavailable(error);
      }
    },
    [Symbol.asyncDispose]: () => thread.end(),
  };
}

function isWithin({ left, top, width, height }: Rectangle, imageWidth: number, imageHeight: number): boolean {
  return left + width <= imageWidth && top + height <= imageHeight;
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

/** The error if the image library does not load, or its thread ends. The image may be good. */
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

/** The thread ends after this time without work. */
const IDLE_MS = 30_000;

/** The image library refused the bytes. */
class DecodeError extends Error {
  override readonly name = 'DecodeError';
}
