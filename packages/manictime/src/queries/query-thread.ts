import { UserError } from '@deskside/core/errors';
import type { QueryInput, QueryName, QueryResult } from './catalog.ts';
import { Thread } from '../thread.ts';
import type { DataSources, ThreadError, ThreadRequest } from './protocol.ts';

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

/** Runs queries in a thread, one after the other. See docs/decisions/0045. */
export class QueryThread {
  readonly #thread = new Thread<ThreadRequest, ThreadError>({
    entry: 'query-worker',
    resourceLimits: {
      maxOldGenerationSizeMb: MAX_HEAP_MEBIBYTES,
      maxYoungGenerationSizeMb: YOUNG_HEAP_MEBIBYTES,
    },
    idleMs: IDLE_MS,
    lastRequest: { close: 'all' },
    errorOf: ({ failure, cause }) => (failure === undefined ? cause : new UserError(failure, { cause })),
  });

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
    const cancelled = new SharedArrayBuffer(4);
    const cancel = () => void Atomics.store(new Int32Array(cancelled), 0, 1);
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      const request = { query, input, sources, nowSeconds, cancelled };
      let reached = Number.NEGATIVE_INFINITY;
      const onProgress = (done: number) => {
        // MCP: it increases with each notification. A query of several steps begins again.
        if (done <= reached) return;
        reached = done;
        void progress?.(done, 1, 'Reading');
      };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the thread runs the function of this type
      return (await this.#thread.run(request, signal, onProgress)) as QueryResult<Name>;
    } catch (error) {
      throw isOutOfMemory(error) ? tooLarge(error) : error;
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }

  /** Removes what the thread stores for some sources. */
  async forget(sources: DataSources): Promise<void> {
    // A thread that has ended has nothing to remove.
    if (this.#thread.isRunning) await this.#thread.run({ close: sources }).catch(() => undefined);
  }

  end(): Promise<void> {
    return this.#thread.end();
  }
}

/** Shared by all servers of the process. */
export const queryThread = new QueryThread();

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
