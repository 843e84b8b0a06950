import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { UserError } from '@deskside/core/errors';
import type { ThreadError, ThreadRequest, ThreadResponse } from './protocol.ts';

/** Rows are streamed, so a query needs far less. The limit ends a thread before it takes the memory of the others. */
const MAX_HEAP_MEBIBYTES = 128;
/** Small, so that the garbage of streamed rows is collected early. */
const YOUNG_HEAP_MEBIBYTES = 8;

type Request = ThreadRequest extends infer Each ? (Each extends unknown ? Omit<Each, 'id'> : never) : never;

/** A thread for queries. It runs one request at a time; the first one starts it. */
export class QueryThread {
  #worker: Worker | undefined;
  #lastId = 0;
  #running:
    | {
        readonly id: number;
        readonly onProgress: (done: number) => void;
        readonly resolve: (result: unknown) => void;
        readonly reject: (error: unknown) => void;
      }
    | undefined;

  get isStarted(): boolean {
    return this.#worker !== undefined;
  }

  /**
   * The process stays alive while a request runs.
   *
   * @throws UserError of the query, or RANGE_TOO_LARGE if it needs too much memory
   */
  async run(request: Request, onProgress: (done: number) => void): Promise<unknown> {
    const worker = (this.#worker ??= this.#start());
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#running = { id, onProgress, resolve, reject };
    worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a browser window
    worker.postMessage({ ...request, id });
    try {
      return await promise;
    } finally {
      this.#running = undefined;
      worker.unref();
    }
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #start(): Worker {
    // By package name, because sources, built files and bundles are in different folders.
    const file = createRequire(import.meta.url).resolve('@deskside/manictime/query-worker');
    const worker = new Worker(pathToFileURL(file), {
      resourceLimits: {
        maxOldGenerationSizeMb: MAX_HEAP_MEBIBYTES,
        maxYoungGenerationSizeMb: YOUNG_HEAP_MEBIBYTES,
      },
    });
    worker.unref();
    worker.on('message', (response: ThreadResponse) => this.#receive(response));
    worker.on('error', (error) => this.#fail(worker, error));
    worker.on('exit', () => this.#fail(worker, new Error('the query thread ended')));
    return worker;
  }

  #receive(response: ThreadResponse): void {
    if (response.id !== this.#running?.id) return;
    if ('done' in response) this.#running.onProgress(response.done);
    else if ('error' in response) this.#running.reject(errorOf(response.error));
    else this.#running.resolve(response.result);
  }

  #fail(worker: Worker, error: unknown): void {
    // A thread that was closed may report after its successor has started.
    if (this.#worker !== worker && this.#worker !== undefined) return;
    this.#worker = undefined;
    this.#running?.reject(isOutOfMemory(error) ? tooLarge(error) : error);
  }
}

function errorOf({ failure, cause }: ThreadError): unknown {
  return failure === undefined ? cause : new UserError(failure, { cause });
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function tooLarge(cause: unknown): UserError {
  return new UserError(
    {
      code: 'RANGE_TOO_LARGE',
      error: 'The answer needs too much memory.',
      hint: 'Ask for a shorter range, and continue from there.',
    },
    { cause },
  );
}
