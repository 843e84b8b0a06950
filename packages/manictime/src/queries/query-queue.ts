import { DAY } from '@deskside/core/dates';
import type { LocalRange } from '../database/model/activity.ts';
import type { QueryInput, QueryName, QueryResult } from './catalog.ts';
import type { DataSources } from './protocol.ts';
import { QueryThread } from './query-thread.ts';

/** Queries over longer ranges have a separate thread, so that a day never waits for a year. */
const SHORT_RANGE_SECONDS = 7 * DAY;

/** The threads end after this time without work, and with them the days that are prepared in memory. */
const IDLE_MS = 5 * 60_000;

/** The call that a query is for. A request context fits. */
export interface QueryCall {
  readonly signal?: AbortSignal | undefined;
  /** Who calls: the queries of callers take turns. */
  readonly caller?: { readonly key: string } | undefined;
  progress?(progress: number, total?: number, message?: string): Promise<void>;
}

interface Waiting {
  readonly callerKey: string;
  readonly run: (thread: QueryThread) => Promise<void>;
}

/**
 * Runs queries in threads: one for short ranges, one for long ones. Shared by all servers of the process.
 * See docs/decisions/0045.
 */
class QueryQueue {
  readonly #lanes = { short: new Lane(), long: new Lane() };
  #idle: NodeJS.Timeout | undefined;

  /** @throws the signal's reason, or the query's error */
  async run<Name extends QueryName>(
    query: Name,
    input: QueryInput<Name>,
    sources: DataSources,
    call: QueryCall,
  ): Promise<QueryResult<Name>> {
    const { signal, caller } = call;
    signal?.throwIfAborted();
    clearTimeout(this.#idle);
    const cancelled = new SharedArrayBuffer(4);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const lane = this.#lanes[isLong(query, input) ? 'long' : 'short'];
    const waiting: Waiting = {
      callerKey: caller?.key ?? '',
      run: (thread) =>
        thread
          .run({ query, input, sources, cancelled }, (done) => void call.progress?.(done, 1, 'Reading'))
          .then(resolve, reject),
    };
    const abort = () => {
      Atomics.store(new Int32Array(cancelled), 0, 1);
      lane.remove(waiting);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    lane.add(waiting);
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the thread runs the function of this type
      return (await promise) as QueryResult<Name>;
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#endWhenIdle();
    }
  }

  /** Removes what the threads store for these sources. */
  async close(sources: DataSources): Promise<void> {
    await Promise.all(Object.values(this.#lanes).map((lane) => lane.close(sources)));
    this.#endWhenIdle();
  }

  #endWhenIdle(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      const lanes = Object.values(this.#lanes);
      if (lanes.every(({ isIdle }) => isIdle)) for (const lane of lanes) void lane.end();
    }, IDLE_MS).unref();
  }
}

function isLong(query: QueryName, input: unknown): boolean {
  if (query === 'ruleReport' || query === 'unusedRules') return true;
  if (typeof input !== 'object' || input === null || !('range' in input)) return false;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every input with this key has a range in it
  const { from, to } = input.range as LocalRange;
  return to - from > SHORT_RANGE_SECONDS;
}

/** One thread and the queries that wait for it. */
class Lane {
  readonly #thread = new QueryThread();
  readonly #waiting: Waiting[] = [];
  #isBusy = false;
  #lastCaller = '';

  get isIdle(): boolean {
    return !this.#isBusy;
  }

  add(waiting: Waiting): void {
    this.#waiting.push(waiting);
    void this.#work();
  }

  remove(waiting: Waiting): void {
    const index = this.#waiting.indexOf(waiting);
    if (index !== -1) this.#waiting.splice(index, 1);
  }

  async close(sources: DataSources | 'all'): Promise<void> {
    if (!this.#thread.isStarted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    // A thread that has ended has nothing to remove.
    this.add({
      callerKey: '',
      run: (thread) =>
        thread
          .run({ close: sources }, () => undefined)
          .then(
            () => resolve(),
            () => resolve(),
          ),
    });
    await promise;
  }

  async end(): Promise<void> {
    await this.close('all');
    if (!this.#isBusy) await this.#thread.close();
  }

  async #work(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (let next = this.#next(); next !== undefined; next = this.#next()) await next.run(this.#thread);
    this.#isBusy = false;
  }

  /** The oldest query of another caller than the last, if there is one. */
  #next(): Waiting | undefined {
    const other = this.#waiting.findIndex(({ callerKey }) => callerKey !== this.#lastCaller);
    const [next] = this.#waiting.splice(Math.max(other, 0), 1);
    this.#lastCaller = next?.callerKey ?? '';
    return next;
  }
}

export const queryQueue = new QueryQueue();
