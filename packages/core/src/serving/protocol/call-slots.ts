/** The calls of one session. */
interface Session {
  /** Calls that count. */
  running: number;
  /** All calls that have begun and not ended, also those that wait. */
  open: number;
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

  /** Sessions with an open call. */
  get size(): number {
    return this.#sessions.size;
  }

  /**
   * At once if a place is free, because most calls find one.
   *
   * @throws the signal's reason if the call is cancelled while it waits
   */
  acquire(key: string, signal: AbortSignal): Slot | Promise<Slot> {
    const session = this.#sessions.get(key) ?? { running: 0, open: 0, waiting: new Set() };
    if (session.open === 0) this.#sessions.set(key, session);
    session.open += 1;
    if (session.running >= this.#limit) return this.#wait(key, session, signal);
    session.running += 1;
    return this.#slot(key, session, signal);
  }

  async #wait(key: string, session: Session, signal: AbortSignal): Promise<Slot> {
    try {
      await turn(session, signal);
    } catch (error) {
      this.#end(key, session);
      throw error;
    }
    return this.#slot(key, session, signal);
  }

  #slot(key: string, session: Session, signal: AbortSignal): Slot {
    let isCounted = true;
    let hasEnded = false;
    const uncount = () => {
      if (isCounted) this.#free(session);
      isCounted = false;
    };
    const release = () => {
      if (hasEnded) return;
      hasEnded = true;
      signal.removeEventListener('abort', release);
      uncount();
      this.#end(key, session);
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
            session.running += 1;
          }
        }
      },
      release,
    };
  }

  /** Hands the place to the call that has waited longest. */
  #free(session: Session): void {
    const [next] = session.waiting;
    // After a pause more calls than the limit may run.
    if (next === undefined || session.running > this.#limit) {
      session.running -= 1;
      return;
    }
    session.waiting.delete(next);
    next();
  }

  #end(key: string, session: Session): void {
    session.open -= 1;
    if (session.open === 0) this.#sessions.delete(key);
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
