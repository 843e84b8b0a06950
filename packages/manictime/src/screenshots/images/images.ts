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
  /** @throws UserError IMAGE_UNREADABLE, IMAGE_TOO_LARGE or UNAVAILABLE */
  transform(job: ImageJob, signal?: AbortSignal): Promise<Uint8Array>;
}

/** @param choice other than `auto` for tests */
export function openImages(choice: CodecChoice = 'auto'): Images {
  const worker = new ImageWorker(choice);
  return {
    async transform(job, signal) {
      const size = jpegSize(job.bytes);
      if (size === undefined) throw unreadable();
      if (size.width * size.height > MAX_PIXELS) throw tooLarge(size.width, size.height);
      if (job.crop !== undefined && !isWithin(job.crop, size.width, size.height)) throw unreadable();
      try {
        return await worker.run(job, signal);
      } catch (error) {
        signal?.throwIfAborted();
        throw error instanceof DecodeError ? unreadable(error) : unavailable(error);
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

/** The worker ends after this time without work. */
const IDLE_MS = 30_000;

/** The image library refused the bytes. */
class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

interface Waiting {
  readonly worker: Worker;
  readonly resolve: (bytes: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
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

  /** Rejects with {@link DecodeError} if the bytes are not an image; also if the worker exits or the signal is aborted. */
  async run(job: ImageJob, signal?: AbortSignal): Promise<Uint8Array> {
    signal?.throwIfAborted();
    const worker = (this.#worker ??= this.#start());
    clearTimeout(this.#idle);
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    this.#waiting.set(id, { worker, resolve, reject });
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
    worker.on('error', (error) => this.#fail(worker, error));
    worker.on('exit', () => this.#fail(worker, new Error('the image worker ended')));
    return worker;
  }

  #settle(response: WorkerResponse): void {
    const waiting = this.#waiting.get(response.id);
    if ('error' in response) waiting?.reject(new DecodeError(response.error));
    else waiting?.resolve(response.bytes);
  }

  /** A worker that was closed may report after its successor has started. */
  #fail(worker: Worker, error: unknown): void {
    if (this.#worker === worker) this.#worker = undefined;
    for (const waiting of this.#waiting.values()) if (waiting.worker === worker) waiting.reject(error);
  }
}
