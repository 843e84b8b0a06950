import { setImmediate as nextTurn } from 'node:timers/promises';

/** After it the event loop runs. */
export const MAX_TURN_MS = 5;

/** Runs work in steps: those that wait take turns, and the event loop runs between. */
export class StepQueue {
  readonly #waiting: (() => boolean)[] = [];
  #isRunning = false;

  /** @param next runs one step */
  run<T>(next: () => IteratorResult<unknown, T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
        try {
          const step = next();
          if (step.done === true) resolve(step.value);
          return step.done === true;
        } catch (error) {
          reject(error);
          return true;
        }
      });
      void this.#runAll();
    });
  }

  async #runAll(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const started = performance.now();
      do {
        const [next] = this.#waiting.splice(0, 1);
        if (next?.() === false) this.#waiting.push(next);
      } while (this.#waiting.length > 0 && performance.now() - started <= MAX_TURN_MS);
      await nextTurn();
    }
    this.#isRunning = false;
  }
}
