import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { SHARE_ENV, Worker } from 'node:worker_threads';
import { type Clock, systemClock } from '@deskside/core/base';
import { type CodedFailure, UserError } from '@deskside/core/errors';
import type { PrivacyPatterns } from '../analysis/privacy.ts';
import type { TakenShot } from '../screenshots/shot.ts';
import { dataFolderNotFound } from './installation.ts';
import type { QueryInput, QueryName, QueryResult } from './catalog.ts';

/** The data that a query is about. */
export interface DataSources extends PrivacyPatterns {
  /** Contains the database. */
  readonly folder: string;
  readonly screenshots: string | undefined;
  /** Corrected kinds of programs: `NAME=KIND`. */
  readonly categories?: readonly string[];
  /** How long a query waits for a lock of another program. */
  readonly lockTimeoutMs?: number | undefined;
}

/** From the main thread: one after the other. */
export type ThreadRequest =
  | {
      readonly query: QueryName;
      readonly input: unknown;
      readonly sources: DataSources;
      /** UTC seconds. */
      readonly nowSeconds: number;
      /** One 32-bit number: not 0 if the query is cancelled. */
      readonly cancelled: SharedArrayBuffer;
    }
  /** Removes what the thread stores for these sources. */
  | { readonly close: DataSources | 'all' };

/** From the thread. The last message of a request has a result or an error. */
export type ThreadResponse =
  | { readonly done: number }
  | { readonly result: unknown }
  | {
      /** Of a `UserError` with a constant hint. */
      readonly failure?: Pick<CodedFailure, 'error' | 'code'> & { readonly hint: string };
      /** The error itself, or the cause of the failure. */
      readonly cause: unknown;
    };

/**
 * Kept days take 115 MB at most, and a question about a year half as much. The limit ends the thread before it takes the memory of
 * others.
 */
const MEMORY = {
  maxOldGenerationSizeMb: 256,
  // Small, so that the garbage of streamed rows is collected early.
  maxYoungGenerationSizeMb: 24,
};

/** The thread ends after this time without work, and with it the days that it keeps. */
const IDLE_MS = 5 * 60_000;

/** The call that a query is for. A request context fits. */
export interface QueryCall {
  readonly signal?: AbortSignal | undefined;
  progress?(progress: number, total?: number, message?: string): Promise<void>;
}

/** Runs queries in a thread, one after the other. The first one starts it. See docs/decisions/0045. */
export class QueryThread {
  #worker: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;

  /**
   * @param nowSeconds UTC seconds
   * @throws the signal's reason, the query's error, or RANGE_TOO_LARGE if it needs too much memory
   */
  async run<Name extends QueryName>(
    query: Name,
    input: QueryInput<Name>,
    sources: DataSources,
    { signal, progress }: QueryCall,
    nowSeconds = Number.POSITIVE_INFINITY,
  ): Promise<QueryResult<Name>> {
    signal?.throwIfAborted();
    const cancelled = new SharedArrayBuffer(4);
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const abort = () => {
      Atomics.store(new Int32Array(cancelled), 0, 1);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    let reached = Number.NEGATIVE_INFINITY;
    const onProgress = (done: number) => {
      // MCP: it increases with each notification. A query of several steps begins again.
      if (done <= reached) return;
      reached = done;
      void progress?.(done, 1, 'Reading');
    };
    try {
      const answer = this.#inTurn({ query, input, sources, nowSeconds, cancelled }, onProgress);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the thread runs the function of this type
      return (await Promise.race([answer, aborted])) as QueryResult<Name>;
    } catch (error) {
      throw isOutOfMemory(error) ? tooLarge(error) : error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Removes what the thread stores for some sources. A thread that has ended has nothing to remove. */
  async forget(sources: DataSources | 'all'): Promise<void> {
    if (this.#worker === undefined) return;
    await this.#inTurn({ close: sources }).catch(() => {
      // The thread has ended, and what it stored with it.
    });
  }

  /** What it runs fails; what waits runs in another thread. */
  async end(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #inTurn(request: ThreadRequest, onProgress: (done: number) => void = () => undefined): Promise<unknown> {
    const answer = this.#last.then(() => this.#ask(request, onProgress));
    this.#last = answer.catch(() => {
      // Reported to the query that failed; the next one runs.
    });
    return answer;
  }

  async #ask(request: ThreadRequest, onProgress: (done: number) => void): Promise<unknown> {
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= this.#start());
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const receive = (response: ThreadResponse) => {
      if ('done' in response) onProgress(response.done);
      else if ('result' in response) resolve(response.result);
      else reject(errorOf(response));
    };
    const end = () => reject(new Error('the thread ended'));
    worker.on('message', receive).on('error', reject).on('exit', end);
    // The process stays alive while there is work.
    worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a browser window
    worker.postMessage(request);
    try {
      return await promise;
    } finally {
      worker.off('message', receive).off('error', reject).off('exit', end);
      worker.unref();
      this.#idle = setTimeout(() => void this.forget('all').then(() => this.end()), IDLE_MS).unref();
    }
  }

  #start(): Worker {
    // Of the package, because sources, built files and bundles are in different folders.
    const file = createRequire(import.meta.url).resolve('@deskside/manictime/query-worker');
    // It outlives a query: the folder for temporary files can be another one for the next.
    const worker = new Worker(pathToFileURL(file), { resourceLimits: MEMORY, env: SHARE_ENV });
    const leave = () => {
      if (this.#worker === worker) this.#worker = undefined;
    };
    return worker.on('error', leave).on('exit', leave);
  }
}

function errorOf({ failure, cause }: Extract<ThreadResponse, { readonly cause: unknown }>): unknown {
  return failure === undefined ? cause : new UserError(failure, { cause });
}

/** Shared by all servers of the process. */
const queryThread = new QueryThread();

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

export interface RecordsOptions extends Omit<DataSources, 'folder' | 'screenshots'> {
  /** Where the data is. `folder` is undefined if it is not known (yet). */
  locate(): Promise<{ readonly folder: string | undefined; readonly screenshots: string | undefined }>;
  readonly clock?: Clock;
}

export type Records = ReturnType<typeof openRecords>;

/** ManicTime's records: the database and the screenshots, read in another thread. */
export function openRecords(options: RecordsOptions) {
  const { locate, exclude = [], redact = [], categories = [], lockTimeoutMs } = options;
  const { clock = systemClock } = options;
  let used: DataSources | undefined;
  return {
    /** @throws UserError if the data cannot be read */
    async query<Name extends QueryName>(
      name: Name,
      input: QueryInput<Name>,
      call: QueryCall = {},
    ): Promise<QueryResult<Name>> {
      const { folder, screenshots } = await locate();
      if (folder === undefined) throw dataFolderNotFound();
      used = { folder, screenshots, exclude, redact, categories, lockTimeoutMs };
      return queryThread.run<Name>(name, input, used, call, clock.now().getTime() / 1000);
    },
    async close() {
      if (used !== undefined) await queryThread.forget(used);
    },
  };
}

/** @throws UserError NOT_FOUND if the reference is invalid, or the screenshot is deleted or private */
export async function requireShot(records: Records, reference: string, call: QueryCall): Promise<TakenShot> {
  const shot = await records.query('screenshot', { reference }, call);
  if (shot !== undefined) return shot;
  throw new UserError({
    code: 'NOT_FOUND',
    error: 'Unknown screenshotRef.',
    hint: (toolName) =>
      `Get valid screenshotRef values with ${toolName('list_screenshots')}. ManicTime deletes screenshots after some days.`,
  });
}
