import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { ImageJob } from './codec.ts';
import type { CodecChoice, WorkerAnswer } from './worker.ts';

/** Milliseconds without work after which the worker ends. */
const IDLE_MS = 30_000;

export interface ImageResult {
  readonly bytes: Uint8Array;
  readonly codec: 'sharp' | 'jimp';
}

interface Waiting {
  readonly resolve: (result: ImageResult) => void;
  readonly reject: (error: Error) => void;
}

/** Decodes and encodes in a thread of its own, started with the first job: seconds of work block nobody. */
export class ImageWorker {
  readonly #choice: CodecChoice;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;

  constructor(choice: CodecChoice) {
    this.#choice = choice;
  }

  /** Rejects when the bytes are no image, the worker dies, or the signal is aborted. */
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
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
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
    // By the package's own name: the sources, the built files and a bundle lie in different places.
    const file = createRequire(import.meta.url).resolve('@deskside/manictime/image-worker');
    const worker = new Worker(pathToFileURL(file), { workerData: this.#choice });
    worker.unref();
    worker.on('message', (answer: WorkerAnswer) => this.#settle(answer));
    worker.on('error', (error) => this.#fail(error instanceof Error ? error : new Error(String(error))));
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
      this.#fail(new Error('the image worker ended'));
    });
    return worker;
  }

  #settle(answer: WorkerAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    if ('error' in answer) waiting?.reject(new Error(answer.error));
    else waiting?.resolve({ bytes: answer.bytes, codec: answer.codec });
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
  }
}
