/** Counts down while it runs, and keeps what is left while it is paused. */
export class Countdown {
  readonly #onEnd: () => void;
  #remaining: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #startedAt = 0;

  /** @param duration milliseconds; 0 never ends */
  constructor(duration: number, onEnd: () => void) {
    this.#remaining = duration;
    this.#onEnd = onEnd;
  }

  run(): void {
    if (this.#timer !== undefined || this.#remaining === 0) return;
    this.#startedAt = performance.now();
    this.#timer = setTimeout(this.#onEnd, this.#remaining);
  }

  pause(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#remaining = Math.max(1, this.#remaining - (performance.now() - this.#startedAt));
  }
}
