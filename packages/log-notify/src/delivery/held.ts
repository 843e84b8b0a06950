import type { Clock } from '@deskside/core/base';
import { createNotification, type Notification, OWN_CONTEXT } from '../notification/notification.ts';
import { contentKey, Tally, type TallyData } from '../notification/tally.ts';
import type { Tried } from './attempts.ts';

/** A notification or a summary that waits at a sink. */
export interface Item {
  readonly notification: Notification;
  /** Its records in the spool. */
  readonly tickets: readonly number[];
  /** What a summary contains. */
  readonly contents?: Contents;
  /** Undefined before the first attempt that failed. */
  readonly tried?: Tried;
}

interface Contents {
  readonly tally: TallyData;
  /** Which records each listed message has. */
  readonly records: ReadonlyMap<string, readonly number[]>;
  /** Monotonic time of the first notification. */
  readonly since: number;
}

/** How many notifications an item stands for. */
export function countOf({ contents }: Item): number {
  return contents === undefined ? 1 : Tally.from(contents.tally).total;
}

export function ticketsOf(items: readonly Item[]): readonly number[] {
  return items.flatMap(({ tickets }) => tickets);
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
  /** By content. */
  #records = new Map<string, number[]>();
  /** Warnings, errors and the first notification: alone in a summary, each comes unchanged. */
  #originals = new Map<string, Notification>();
  #since = 0;

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
    if (contents !== undefined) {
      this.#tally.merge(contents.tally);
      for (const [key, numbers] of contents.records) this.#record(key, numbers);
      return;
    }
    const key = contentKey(notification);
    if (!isRepeat && (this.total === 0 || notification.level !== 'info')) {
      this.#originals.set(key, notification);
    }
    this.#tally.add(notification);
    this.#record(key, tickets);
    for (const known of this.#originals.keys()) {
      // The first of the map are the oldest, which a full tally drops.
      if (this.#tally.has(known)) break;
      this.#originals.delete(known);
    }
  }

  /**
   * Removes everything. A notification that is alone comes back unchanged, others in summaries.
   *
   * @param maxCodePoints what the sink shows of a message
   */
  take(maxCodePoints: number): Item[] {
    if (this.total === 0) return [];
    const [parts, records, originals] = [this.#tally.parts(maxCodePoints), this.#records, this.#originals];
    this.#tally = new Tally();
    this.#records = new Map();
    this.#originals = new Map();
    const since = this.#since;
    return parts.map((part, index) => {
      // The last part counts what no part lists.
      const listed = part.data.lines.map(({ key }) => key);
      const keys = index === parts.length - 1 ? [...records.keys()] : listed;
      const own = new Map(keys.map((key) => [key, records.get(key) ?? []]));
      for (const key of keys) records.delete(key);
      return this.#item(part, own, originals, since);
    });
  }

  #item(
    tally: Tally,
    records: ReadonlyMap<string, readonly number[]>,
    originals: ReadonlyMap<string, Notification>,
    since: number,
  ): Item {
    const tickets = [...records.values()].flat();
    const original = tally.total === 1 ? originals.get(tally.data.lines[0]?.key ?? '') : undefined;
    if (original !== undefined) return { notification: original, tickets };
    const held = durationText(this.#clock.elapsedMs() - since);
    const message = `${tally.subject} held back in ${held} (${tally.levels}):${tally.list}`;
    const summary = { level: tally.level, context: OWN_CONTEXT, message };
    return {
      notification: createNotification(summary, this.#clock.now().getTime()),
      tickets,
      contents: { tally: tally.data, records, since },
    };
  }

  #record(key: string, tickets: readonly number[]): void {
    const known = this.#records.get(key);
    if (known === undefined) this.#records.set(key, [...tickets]);
    else known.push(...tickets);
  }
}
