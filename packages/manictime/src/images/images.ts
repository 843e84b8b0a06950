import { Problem } from '../problem.ts';
import type { ImageJob, Rectangle } from './codec.ts';
import { ImageWorker } from './image-worker.ts';
import { jpegSize } from './jpeg-size.ts';
import type { CodecChoice } from './worker.ts';

/** Pixels of an image that is decoded at all: four times a 4K screen and more. */
const MOST_PIXELS = 64_000_000;

/** Works on screenshots. Nothing else decodes images. */
export interface Images extends AsyncDisposable {
  /** @throws Problem IMAGE_UNREADABLE or IMAGE_TOO_LARGE */
  transform(job: ImageJob, signal?: AbortSignal): Promise<Uint8Array>;
}

export function openImages(choice: CodecChoice): Images {
  const worker = new ImageWorker(choice);
  return {
    async transform(job, signal) {
      const size = jpegSize(job.bytes);
      if (size === undefined) throw unreadable();
      if (size.width * size.height > MOST_PIXELS) throw tooLarge(size.width, size.height);
      if (job.crop !== undefined && !isWithin(job.crop, size.width, size.height)) throw unreadable();
      try {
        return (await worker.run(job, signal)).bytes;
      } catch (error) {
        signal?.throwIfAborted();
        throw unreadable(error);
      }
    },
    [Symbol.asyncDispose]: () => worker.close(),
  };
}

function isWithin({ left, top, width, height }: Rectangle, imageWidth: number, imageHeight: number): boolean {
  return left + width <= imageWidth && top + height <= imageHeight;
}

function unreadable(cause?: unknown): Problem {
  return new Problem(
    {
      code: 'IMAGE_UNREADABLE',
      error: 'The screenshot is damaged: its bytes are no whole JPEG image.',
      hint: 'Choose another screenshot near that time with list_screenshots.',
    },
    { cause },
  );
}

function tooLarge(width: number, height: number): Problem {
  return new Problem({
    code: 'IMAGE_TOO_LARGE',
    error: `The screenshot has ${width}x${height} pixels; at most ${MOST_PIXELS} pixels are decoded.`,
    hint: 'get_screenshot returns it without decoding.',
  });
}
