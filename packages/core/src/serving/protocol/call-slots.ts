import { getOrAdd } from '../../base/values.ts';

/** The calls of one session that count, of which there is at least one, and those that wait. */
interface Session {
  running: number;
  readonly waiting: Set<() => void>;
}

/** A running call's place among the calls of its session. */
export interface Slot {
  /** Frees the place while `work` runs, for example while a person thinks. The call continues without a new wait. */
  readonly pause: <T>(work: () => Promise<T>) => Promise<T>;
  /** The call has ended. Only the first call of this function counts. */
  readonly release: () => void;
}

/**
 * Lets at most `limit` calls of a session run at the same time. Further calls wait, in the order in which they came. A
 * cancelled call does not count, although its handler may never end: 32 of them would block the session.
 */
export class CallSlots {
  readonly #limit: number;
  readonly #sessions = new Map<string, Session>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * At once if a place is free, because most calls find one.
   *
   * @throws the signal's reason if the call is cancelled while it waits
   */
  acquire(key: string, signal: AbortSignal): Slot | Promise<Slot> {
    const session = this.#session(key);
    if (session.running >= this.#limit) return turn(session, signal).then(() => this.#slot(key, signal));
    session.running += 1;
    return this.#slot(key, signal);
  }

  #session(key: string): Session {
    return getOrAdd(this.#sessions, key, () => ({ running: 0, waiting: new Set() }));
  }

  #slot(key: string, signal: AbortSignal): Slot {
    let isCounted = true;
    let hasEnded = false;
    const uncount = () => {
      if (isCounted) this.#free(key);
      isCounted = false;
    };
    const release = () => {
      hasEnded = true;
      signal.removeEventListener('abort', release);
      uncount();
    };
    // Some tools ignore the signal and never end: they must not block their session.
    if (signal.aborted) release();
    else signal.addEventListener('abort', release, { once: true });
    return {
      pause: async (work) => {
        uncount();
        try {
          return await work();
        } finally {
          if (!isCounted && !hasEnded) {
            isCounted = true;
            this.#session(key).running += 1;
          }
        }
      },
      release,
    };
  }

  /** Hands the place to the call that has waited longest. */
  #free(key: string): void {
    const session = this.#session(key);
    const [next] = session.waiting;
    // After a pause more calls than the limit may run.
    if (next !== undefined && session.running <= this.#limit) {
      session.waiting.delete(next);
      return next();
    }
    session.running -= 1;
    if (session.running === 0) this.#sessions.delete(key);
  }
}

/** Resolves when a call that ends hands over its place. */
async function turn({ waiting }: Session, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const cancel = () => {
    waiting.delete(resolve);
    reject(signal.reason);
  };
  signal.throwIfAborted();
  waiting.add(resolve);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    await promise;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
