/** A timer that can pause and keeps the time that is left. */
export class Countdown {
  readonly #onEnd: () => void;
  #remainingMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #startedAt = 0;

  /** @param durationMs 0 never ends */
  constructor(durationMs: number, onEnd: () => void) {
    this.#remainingMs = durationMs;
    this.#onEnd = onEnd;
  }

  run(): void {
    if (this.#timer || this.#remainingMs === 0) return;
    this.#startedAt = performance.now();
    this.#timer = setTimeout(this.#onEnd, this.#remainingMs);
  }

  pause(): void {
    if (!this.#timer) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#remainingMs = Math.max(1, this.#remainingMs - (performance.now() - this.#startedAt));
  }
}

export type PauseReason = 'hover' | 'focus' | 'hidden' | 'swipe' | 'disconnected';

/** Why countdowns are paused. They run again when the last reason is gone. */
export class PauseReasons {
  readonly #active = new Set<PauseReason>();
  readonly #onChange: (paused: boolean) => void;

  constructor(onChange: (paused: boolean) => void) {
    this.#onChange = onChange;
  }

  get paused(): boolean {
    return this.#active.size > 0;
  }

  set(reason: PauseReason, active: boolean): void {
    const before = this.paused;
    if (active) this.#active.add(reason);
    else this.#active.delete(reason);
    if (before !== this.paused) this.#onChange(this.paused);
  }
}
