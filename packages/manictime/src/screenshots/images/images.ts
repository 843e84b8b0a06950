import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { UserError } from '@deskside/core/errors';
import { type ImageJob, jpegSize, type Rectangle } from './codec.ts';
import type { CodecChoice, WorkerResponse } from './worker.ts';

/** Larger images are not decoded. A 4K screen has 8 million pixels. */
const MAX_PIXELS = 64_000_000;

/** The only module that decodes images. */
export interface Images extends AsyncDisposable {
  /** @throws UserError IMAGE_UNREADABLE or IMAGE_TOO_LARGE */
  transform(job: ImageJob, signal?: AbortSignal): Promise<Uint8Array>;
}

export function openImages(choice: CodecChoice): Images {
  const worker = new ImageWorker(choice);
  return {
    async transform(job, signal) {
      const size = jpegSize(job.bytes);
      if (size === undefined) throw unreadable();
      if (size.width * size.height > MAX_PIXELS) throw tooLarge(size.width, size.height);
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

function tooLarge(width: number, height: number): UserError {
  return new UserError({
    code: 'IMAGE_TOO_LARGE',
    error: `The screenshot has ${width}x${height} pixels, which exceeds the limit of ${MAX_PIXELS} pixels.`,
    hint: (toolName) => `Use ${toolName('get_screenshot')}, which returns the image without decoding it.`,
  });
}

/** The worker ends after this time without work. */
const IDLE_MS = 30_000;

export interface ImageResult {
  readonly bytes: Uint8Array;
  readonly codec: 'sharp' | 'jimp';
}

interface Waiting {
  readonly resolve: (result: ImageResult) => void;
  readonly reject: (error: Error) => void;
}

/** Decodes and encodes images in a worker thread, so that the event loop stays free. The first job starts it. */
class ImageWorker {
  readonly #choice: CodecChoice;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;

  constructor(choice: CodecChoice) {
    this.#choice = choice;
  }

  /** Rejects if the bytes are not an image, the worker exits, or the signal is aborted. */
  async run(job: ImageJob, signal?: AbortSignal): Promise<ImageResult> {
    signal?.throwIfAborted();
    const worker = (this.#worker ??= this.#start());
    clearTimeout(this.#idle);
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<ImageResult>();
    this.#waiting.set(id, { resolve, reject });
    const abort = () => reject(new Error('aborted'));
    signal?.addEventListener('abort', abort, { once: true });
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a browser window
    worker.postMessage({ id, job });
    try {
      return await promise;
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref();
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #start(): Worker {
    // By package name, because sources, built files and bundles are in different folders.
    const file = createRequire(import.meta.url).resolve('@deskside/manictime/image-worker');
    const worker = new Worker(pathToFileURL(file), { workerData: this.#choice });
    worker.unref();
    worker.on('message', (response: WorkerResponse) => this.#settle(response));
    worker.on('error', (error) => this.#fail(error instanceof Error ? error : new Error(String(error))));
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
      this.#fail(new Error('the image worker ended'));
    });
    return worker;
  }

  #settle(response: WorkerResponse): void {
    const waiting = this.#waiting.get(response.id);
    if ('error' in response) waiting?.reject(new Error(response.error));
    else waiting?.resolve({ bytes: response.bytes, codec: response.codec });
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
  }
}
