import { watchAway } from '@deskside/desktop';
import type { Scheduler } from '@deskside/core/base';

/** Reports whether the person is away: while the screen of a call is locked, or no input comes. */
export class AwayReport {
  readonly #onAway: ((isAway: boolean) => void) | undefined;
  readonly #clock: Scheduler;
  #isLocked = false;
  #isIdle = false;
  #isAway = false;
  #isOver = false;
  #endWatch = () => {};

  /** @param onAway undefined for news: no call waits for its reader */
  constructor(onAway: ((isAway: boolean) => void) | undefined, clock: Scheduler) {
    this.#onAway = onAway;
    this.#clock = clock;
  }

  set isLocked(isLocked: boolean) {
    this.#isLocked = isLocked;
    this.#report();
  }

  /** @param idleMs of the screen of the call */
  watchIdle(idleMs: () => Promise<number | undefined>): void {
    if (this.#onAway === undefined || this.#isOver) return;
    const onChange = (isIdle: boolean) => {
      this.#isIdle = isIdle;
      this.#report();
    };
    this.#endWatch = watchAway({ idleMs, clock: this.#clock, onChange });
  }

  end(): void {
    this.#isOver = true;
    this.#endWatch();
  }

  #report(): void {
    const isAway = this.#isLocked || this.#isIdle;
    if (isAway === this.#isAway || this.#isOver) return;
    this.#isAway = isAway;
    this.#onAway?.(isAway);
  }
}
