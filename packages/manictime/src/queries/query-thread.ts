import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { UserError } from '@deskside/core/errors';
import type { QueryInput, QueryName, QueryResult } from './catalog.ts';
import type { DataSources, ThreadError, ThreadRequest, ThreadResponse } from './protocol.ts';

/** Rows are streamed, so a query needs far less. The limit ends the thread before it takes the memory of others. */
const MAX_HEAP_MEBIBYTES = 52;
/** Small, so that the garbage of streamed rows is collected early. */
const YOUNG_HEAP_MEBIBYTES = 24;

/** The thread ends after this time without work, and with it the days that are prepared in memory. */
const IDLE_MS = 5 * 60_000;

/** The call that a query is for. A request context fits. */
export interface QueryCall {
  readonly signal?: AbortSignal | undefined;
  progress?(progress: number, total?: number, message?: string): Promise<void>;
}

type Request = ThreadRequest extends infer Each ? (Each extends unknown ? Omit<Each, 'id'> : never) : never;

interface Pending {
  readonly request: Request;
  readonly onProgress: (done: number) => void;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs queries in a thread, one after the other. The first one starts it; the process stays alive while there are some.
 * See docs/decisions/0045.
 */
export class QueryThread {
  #worker: Worker | undefined;
  #lastId = 0;
  /** In the order of their turn: the thread runs the first. */
  readonly #pending = new Map<number, Pending>();
  #idle: NodeJS.Timeout | undefined;

  /** @throws the signal's reason, the query's error, or RANGE_TOO_LARGE if it needs too much memory */
  async run<Name extends QueryName>(
    query: Name,
    input: QueryInput<Name>,
    sources: DataSources,
    { signal, progress }: QueryCall,
  ): Promise<QueryResult<Name>> {
    signal?.throwIfAborted();
    const cancelled = new SharedArrayBuffer(4);
    const { promise, reject } = Promise.withResolvers<never>();
    const abort = () => {
      Atomics.store(new Int32Array(cancelled), 0, 1);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const request = { query, input, sources, cancelled };
      const answer = this.#post(request, (done) => void progress?.(done, 1, 'Reading'));
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the thread runs the function of this type
      return (await Promise.race([answer, promise])) as QueryResult<Name>;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Removes what the thread stores for some sources. */
  async forget(sources: DataSources | 'all'): Promise<void> {
    if (this.#worker === undefined) return;
    // A thread that has ended has nothing to remove.
    await this.#post({ close: sources }, () => undefined).catch(() => undefined);
  }

  /** Ends the thread, and with an error what it runs. */
  async end(): Promise<void> {
    await this.#worker?.terminate();
  }

  async #post(request: Request, onProgress: (done: number) => void): Promise<unknown> {
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= this.#start());
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#pending.set(id, { request, onProgress, resolve, reject });
    worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a browser window
    worker.postMessage({ ...request, id });
    return promise;
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
    worker.on('error', (error) => this.#restart(worker, error));
    worker.on('exit', () => this.#restart(worker, new Error('the query thread ended')));
    return worker;
  }

  #receive(response: ThreadResponse): void {
    const pending = this.#pending.get(response.id);
    if ('done' in response) {
      pending?.onProgress(response.done);
      return;
    }
    this.#pending.delete(response.id);
    if ('error' in response) pending?.reject(errorOf(response.error));
    else pending?.resolve(response.result);
    if (this.#pending.size > 0) return;
    this.#worker?.unref();
    this.#idle = setTimeout(() => void this.forget('all').then(() => this.end()), IDLE_MS).unref();
  }

  /** What ran has ended the thread. What waits runs in another one. */
  #restart(ended: Worker, error: unknown): void {
    // A thread reports an error and its exit.
    if (this.#worker !== ended) return;
    this.#worker = undefined;
    const [running, ...waiting] = this.#pending.values();
    this.#pending.clear();
    running?.reject(isOutOfMemory(error) ? tooLarge(error) : error);
    for (const { request, onProgress, resolve, reject } of waiting)
      this.#post(request, onProgress).then(resolve, reject);
  }
}

/** Shared by all servers of the process. */
export const queryThread = new QueryThread();

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
