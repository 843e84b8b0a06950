import { type Notification, notification, type Spoken } from '../message/notification.ts';
import type { Clock } from './clock.ts';
import { durationText } from './duration-text.ts';
import { Tally } from './tally.ts';

/** The context of what this server says in its own name. */
export const OWN_CONTEXT = 'log-notify';

/** Milliseconds a timer runs at most: it stands still while the machine sleeps. */
const LONGEST_TIMER_MS = 60_000;

/** Holds notifications back for a time, then makes one summary of them. */
export class Holding {
  readonly #clock: Clock;
  readonly #release: (summary: Notification) => void;
  readonly #tally = new Tally();
  #since = 0;
  #until = 0;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, release: (summary: Notification) => void) {
    this.#clock = clock;
    this.#release = release;
  }

  /** @param milliseconds until the summary, counted from the first that is held */
  hold(held: Notification, milliseconds: number): void {
    if (this.#cancel === undefined) {
      this.#since = this.#clock.now();
      this.#until = this.#since + milliseconds;
      this.#wait();
    }
    this.#tally.add(held);
  }

  /** Makes the summary now, where there is something to sum up. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#tally.total === 0) return;
    const now = this.#clock.now();
    const summary = summaryOf(this.#tally, now - this.#since);
    this.#tally.clear();
    this.#release(notification(summary, now));
  }

  #wait(): void {
    const remaining = this.#until - this.#clock.now();
    if (remaining <= 0) this.flush();
    else this.#cancel = this.#clock.after(Math.min(remaining, LONGEST_TIMER_MS), () => this.#wait());
  }
}

function summaryOf(tally: Tally, milliseconds: number): Spoken {
  const { subject, counts, latest, level } = tally;
  const message = `${subject} held back in ${durationText(milliseconds)} (${counts}). Latest: ${latest}`;
  return { level, context: OWN_CONTEXT, message };
}
