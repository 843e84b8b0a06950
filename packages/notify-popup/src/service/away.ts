import type { Scheduler } from '@deskside/core/base';

/** Without input for this time the person is away. */
export const AWAY_MS = 300_000;
/** How often it looks whether the person is back: on Windows each look takes half a second. */
const LOOK_INTERVAL_MS = 15_000;

/** Reports that the person is away from the screen of a call, and is back: the screen is locked, or no input comes. */
export class AwayWatch {
  readonly #report: ((isAway: boolean) => void) | undefined;
  readonly #clock: Scheduler;
  #isLocked = false;
  #isIdle = false;
  #isAway = false;
  #hasEnded = false;
  #cancelLook = () => {};

  /** @param report undefined: it watches nothing */
  constructor(report: ((isAway: boolean) => void) | undefined, clock: Scheduler) {
    this.#report = report;
    this.#clock = clock;
  }

  set isLocked(isLocked: boolean) {
    this.#isLocked = isLocked;
    this.#update();
  }

  /** @param idleMs undefined if the platform does not tell; the watch of the input is then over */
  async watchIdle(idleMs: () => Promise<number | undefined>): Promise<void> {
    if (this.#report === undefined || this.#hasEnded) return;
    // A failure is as on a platform that does not tell.
    const idle = await idleMs().catch(() => undefined);
    this.#isIdle = idle !== undefined && idle >= AWAY_MS;
    this.#update();
    if (idle === undefined || this.#hasEnded) return;
    const waitMs = this.#isIdle ? LOOK_INTERVAL_MS : AWAY_MS - idle;
    this.#cancelLook = this.#clock.after(waitMs, () => void this.watchIdle(idleMs), { isBackground: true });
  }

  end(): void {
    this.#hasEnded = true;
    this.#cancelLook();
  }

  #update(): void {
    const isAway = this.#isLocked || this.#isIdle;
    if (isAway === this.#isAway || this.#hasEnded) return;
    this.#isAway = isAway;
    this.#report?.(isAway);
  }
}
