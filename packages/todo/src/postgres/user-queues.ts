import { StoreBusy } from '../store/task-store.ts';

/** Runs the work of each user one after the other, in the order of the calls, and of different users at the same time. */
export class UserQueues {
  readonly #last = new Map<string, Promise<void>>();
  readonly #waitMs: number;

  constructor(waitMs: number) {
    this.#waitMs = waitMs;
  }

  /** Rejects with StoreBusy after `waitMs`, or with the signal's reason, until the work starts. */
  async run<T>(user: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const before = this.#last.get(user);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    this.#last.set(user, ended);
    try {
      if (before !== undefined) await this.#turn(before, signal);
      return await work();
    } finally {
      // A call that no longer waits does not let the next one pass.
      void this.#leave(user, before, ended, end);
    }
  }

  async #leave(
    user: string,
    before: Promise<void> | undefined,
    ended: Promise<void>,
    end: () => void,
  ): Promise<void> {
    await before;
    end();
    if (this.#last.get(user) === ended) this.#last.delete(user);
  }

  async #turn(before: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
    const { promise: stopped, reject } = Promise.withResolvers<never>();
    const cancel = () => reject(signal?.reason);
    const timer = setTimeout(() => reject(new StoreBusy()), this.#waitMs);
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      signal?.throwIfAborted();
      await Promise.race([before, stopped]);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    }
  }
}
