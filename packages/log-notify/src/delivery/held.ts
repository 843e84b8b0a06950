import type { Clock } from '@deskside/core/base';
import { createNotification, type Notification, OWN_CONTEXT } from '../notification/notification.ts';
import { Tally, type TallyData } from '../notification/tally.ts';

/** A notification or a summary that waits at a sink. */
export interface Item {
  readonly notification: Notification;
  /** Numbers of its records in the spool. */
  readonly tickets: readonly number[];
  /** What a summary contains. */
  readonly contents?: Contents;
}

interface Contents {
  readonly tally: TallyData;
  /** Monotonic time of the first notification. */
  readonly since: number;
}

/** How many notifications an item stands for. */
export function countOf({ contents }: Item): number {
  return contents === undefined ? 1 : Tally.from(contents.tally).total;
}

/** Formats a duration for people: `60 s`, `15 min`, `9 h`. */
export function durationText(durationMs: number): string {
  const seconds = Math.max(1, Math.round(durationMs / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** Notifications that wait for one summary. */
export class Held {
  readonly #clock: Clock;
  #tally = new Tally();
  #tickets: number[] = [];
  #since = 0;
  /** The notification itself while it is the only one. */
  #only: Notification | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get total(): number {
    return this.#tally.total;
  }

  /** @param isRepeat a repeat is always counted in a summary: unchanged, it would look like a new notification */
  add({ notification, tickets, contents }: Item, isRepeat = false): void {
    const since = contents?.since ?? this.#clock.elapsedMs();
    this.#since = this.total === 0 ? since : Math.min(this.#since, since);
    this.#only = this.total === 0 && contents === undefined && !isRepeat ? notification : undefined;
    if (contents === undefined) this.#tally.add(notification);
    else this.#tally.merge(contents.tally);
    this.#tickets.push(...tickets);
  }

  /** Removes everything. A single notification comes back unchanged, several as a summary. */
  take(): Item | undefined {
    const { total } = this;
    if (total === 0) return undefined;
    const [tally, tickets, since, only] = [this.#tally, this.#tickets, this.#since, this.#only];
    this.#tally = new Tally();
    this.#tickets = [];
    this.#only = undefined;
    if (only !== undefined) return { notification: only, tickets };
    const held = durationText(this.#clock.elapsedMs() - since);
    const message = `${tally.subject} held back in ${held} (${tally.levels}):${tally.list}`;
    const summary = { level: tally.level, context: OWN_CONTEXT, message };
    return {
      notification: createNotification(summary, this.#clock.now().getTime()),
      tickets,
      contents: { tally: tally.data, since },
    };
  }
}
