import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { type ResourceLimits, SHARE_ENV, Worker } from 'node:worker_threads';

/** From a thread. The last message of a request has a result or an error. */
export type ThreadResponse<Failure> =
  | { readonly id: number; readonly done: number }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: Failure };

interface ThreadOptions<Request, Failure> {
  /** Of the package, because sources, built files and bundles are in different folders. */
  readonly entry: 'query-worker' | 'image-worker';
  readonly resourceLimits?: ResourceLimits;
  readonly workerData?: unknown;
  /** The thread ends after this time without work, and with it what it has in memory. */
  readonly idleMs: number;
  /** Runs before that. */
  readonly lastRequest?: Request;
  /** What a request is rejected with. */
  readonly errorOf: (failure: Failure) => unknown;
}

interface Pending {
  readonly request: object;
  readonly onProgress: (done: number) => void;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A thread for requests. The first one starts it; the process stays alive while there are some. */
export class Thread<Request extends object, Failure> {
  readonly #options: ThreadOptions<Request, Failure>;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #lastId = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: ThreadOptions<Request, Failure>) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  /** @throws the signal's reason, the error of the request, or that of a thread that ends */
  async run(
    request: Request,
    signal?: AbortSignal,
    onProgress: (done: number) => void = () => undefined,
  ): Promise<unknown> {
    signal?.throwIfAborted();
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const abort = () => reject(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await Promise.race([this.#post(request, onProgress), aborted]);
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Ends the thread. What it runs fails; what waits runs in another one. */
  async end(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    // It has nothing to answer: a request that comes while it ends starts another one.
    if (this.#pending.size === 0) this.#worker = undefined;
    await worker?.terminate();
  }

  async #endIdle(): Promise<void> {
    const { lastRequest } = this.#options;
    // A thread that fails has ended.
    if (lastRequest !== undefined) await this.run(lastRequest).catch(() => undefined);
    if (this.#pending.size === 0) await this.end();
  }

  async #post(request: object, onProgress: (done: number) => void): Promise<unknown> {
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
    const { entry, resourceLimits = {}, workerData } = this.#options;
    const file = createRequire(import.meta.url).resolve(`@deskside/manictime/${entry}`);
    // It outlives a query: the folder for temporary files can be another one for the next.
    const worker = new Worker(pathToFileURL(file), { resourceLimits, workerData, env: SHARE_ENV });
    worker.on('message', (response: ThreadResponse<Failure>) => this.#receive(response));
    worker.on('error', (error) => this.#restart(worker, error));
    worker.on('exit', () => this.#restart(worker, new Error('the thread ended')));
    return worker;
  }

  #receive(response: ThreadResponse<Failure>): void {
    const pending = this.#pending.get(response.id);
    if ('done' in response) {
      pending?.onProgress(response.done);
      return;
    }
    this.#pending.delete(response.id);
    if ('error' in response) pending?.reject(this.#options.errorOf(response.error));
    else pending?.resolve(response.result);
    if (this.#pending.size > 0) return;
    this.#worker?.unref();
    this.#idle = setTimeout(() => void this.#endIdle(), this.#options.idleMs).unref();
  }

  /** What ran first has ended the thread. */
  #restart(ended: Worker, error: unknown): void {
    // A thread reports an error and its exit.
    if (this.#worker !== ended) return;
    this.#worker = undefined;
    const [running, ...waiting] = this.#pending.values();
    this.#pending.clear();
    running?.reject(error);
    for (const { request, onProgress, resolve, reject } of waiting)
      this.#post(request, onProgress).then(resolve, reject);
  }
}
