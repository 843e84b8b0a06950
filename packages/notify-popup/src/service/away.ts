import { type Scheduler, watchAway } from '@deskside/core/base';

/** Reports that the person is away from the screen of a call, and is back: the screen is locked, or no input comes. */
export class AwayWatch {
  readonly #report: ((isAway: boolean) => void) | undefined;
  readonly #clock: Scheduler;
  #isLocked = false;
  #isIdle = false;
  #isAway = false;
  #hasEnded = false;
  #endWatch = () => {};

  /** @param report undefined: it watches nothing */
  constructor(report: ((isAway: boolean) => void) | undefined, clock: Scheduler) {
    this.#report = report;
    this.#clock = clock;
  }

  set isLocked(isLocked: boolean) {
    this.#isLocked = isLocked;
    this.#update();
  }

  watchIdle(idleMs: () => Promise<number | undefined>): void {
    if (this.#report === undefined || this.#hasEnded) return;
    const onChange = (isIdle: boolean) => {
      this.#isIdle = isIdle;
      this.#update();
    };
    this.#endWatch = watchAway({ idleMs, clock: this.#clock, onChange });
  }

  end(): void {
    this.#hasEnded = true;
    this.#endWatch();
  }

  #update(): void {
    const isAway = this.#isLocked || this.#isIdle;
    if (isAway === this.#isAway || this.#hasEnded) return;
    this.#isAway = isAway;
    this.#report?.(isAway);
  }
}
