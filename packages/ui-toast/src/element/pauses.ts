export type PauseReason = 'hover' | 'focus' | 'hidden' | 'swipe' | 'away';

/** Time stands still while there is any reason. */
export class Pauses {
  readonly #reasons = new Set<PauseReason>();
  readonly #onChange: (paused: boolean) => void;

  constructor(onChange: (paused: boolean) => void) {
    this.#onChange = onChange;
  }

  get paused(): boolean {
    return this.#reasons.size > 0;
  }

  set(reason: PauseReason, holds: boolean): void {
    const before = this.paused;
    if (holds) this.#reasons.add(reason);
    else this.#reasons.delete(reason);
    if (before !== this.paused) this.#onChange(this.paused);
  }
}
