/** Counts what is being answered, so that a server can let it finish before it goes. */
export class InFlight {
  #running = 0;
  readonly #waiting = new Set<() => void>();

  /** Returns the call that says it is over. */
  begin(): () => void {
    this.#running += 1;
    return () => {
      this.#running -= 1;
      if (this.#running === 0) for (const resolve of this.#waiting) resolve();
    };
  }

  /** Resolves when nothing runs, at the latest after `ms` milliseconds. */
  async idle(ms: number): Promise<void> {
    if (this.#running === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    const timer = setTimeout(resolve, ms);
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(resolve);
  }
}
