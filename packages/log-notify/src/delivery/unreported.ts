import type { Clock } from '@deskside/core/base';
import { emptyTally, type LossData, lossNotice, mergedLosses } from '../notification/losses.ts';
import type { NotificationInput } from '../notification/notification.ts';
import { Tally } from '../notification/tally.ts';

/** Pauses between the attempts to deliver a notice of losses to a sink that gets nothing else. */
const [FIRST_PAUSE_MS, MAX_PAUSE_MS] = [30_000, 300_000];

/** The losses of a sink that its people do not know yet, and when the next notice of them is due. */
export class Unreported {
  readonly #clock: Pick<Clock, 'elapsedMs'>;
  #losses: LossData | undefined;
  /** What the notice that is being delivered reports, and what it leaves to the next one. */
  #sent: { readonly losses: LossData; readonly rest: LossData | undefined } | undefined;
  #pauseMs = 0;
  #at = -Infinity;

  constructor(clock: Pick<Clock, 'elapsedMs'>) {
    this.#clock = clock;
  }

  get total(): number {
    return this.#losses === undefined ? 0 : Tally.from(this.#losses.tally).total;
  }

  /** Milliseconds until a notice is due; undefined if there is nothing to report. */
  get waitMs(): number | undefined {
    return this.#losses === undefined ? undefined : this.#at - this.#clock.elapsedMs();
  }

  add(losses: LossData): void {
    this.#losses = mergedLosses(this.#losses, losses);
  }

  clear(): void {
    this.#losses = undefined;
  }

  /** Takes the next notice. `delivered` or `failed` follows. */
  next(maxCodePoints: number): NotificationInput | undefined {
    const losses = this.#losses;
    if (losses === undefined) return undefined;
    const { notice, rest } = lossNotice(losses, maxCodePoints);
    this.#sent = { losses, rest };
    this.#losses = undefined;
    return notice;
  }

  /** @returns what is not reported yet */
  delivered(): LossData | undefined {
    const { rest } = this.#sent ?? {};
    if (rest !== undefined) this.add(rest);
    return this.#losses;
  }

  /** @param isRefused the receiver refused the text: it would refuse it in the next notice too */
  failed(isRefused: boolean): void {
    const { losses = { tally: emptyTally(), causes: {} } } = this.#sent ?? {};
    const { tally, causes } = losses;
    const later = this.#losses;
    this.#losses = isRefused ? { tally: { ...tally, lines: [] }, causes } : losses;
    if (later !== undefined) this.add(later);
    this.#pauseMs = Math.min(MAX_PAUSE_MS, Math.max(FIRST_PAUSE_MS, 2 * this.#pauseMs));
    this.#at = this.#clock.elapsedMs() + this.#pauseMs;
  }

  /** The sink works: the next notice is due at once. */
  hurry(): void {
    this.#pauseMs = 0;
    this.#at = -Infinity;
  }

  /** The sink failed. */
  pause(): void {
    this.#at = Math.max(this.#at, this.#clock.elapsedMs() + FIRST_PAUSE_MS);
  }
}
