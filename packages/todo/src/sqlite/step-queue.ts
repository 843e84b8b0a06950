import { setImmediate as nextTurn } from 'node:timers/promises';

/** After it the event loop runs. */
export const MAX_TURN_MS = 5;

/** When others hold the event loop for longer. */
const MAX_SHARE_MS = 20;

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
    let ended = performance.now();
    while (this.#waiting.length > 0) {
      const started = performance.now();
      // As long as all else has used since the last turn: a commit waits for the disk.
      const turnMs = Math.min(MAX_SHARE_MS, Math.max(MAX_TURN_MS, started - ended));
      do {
        const [next] = this.#waiting.splice(0, 1);
        if (next?.() === false) this.#waiting.push(next);
      } while (this.#waiting.length > 0 && performance.now() - started <= turnMs);
      ended = performance.now();
      await nextTurn();
    }
    this.#isRunning = false;
  }
}
