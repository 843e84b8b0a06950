import type { Clock } from '@deskside/core/base';
import { countLost, type Losses, lossesOf, lossNotice, mergedLosses } from '../../notification/losses.ts';
import {
  LEVELS,
  type Level,
  type Notification,
  type NotificationInput,
  severity,
} from '../../notification/notification.ts';
import { isBehind, type Tried } from '../attempts.ts';
import type { Stage } from './lines.ts';

/** One sink's part of a notification that it has not got yet. */
export interface Delivery {
  readonly notification: Notification;
  /** As the file has it. */
  stage: Stage;
  /** The sink got the same shortly before. */
  isRepeat: boolean;
  /** Monotonic time since when it waits here. */
  readonly sinceMs: number;
  /** Undefined before the first attempt that failed. */
  tried?: Tried;
}

/** What survives this process. */
export interface RecordFile {
  done(sink: SinkRecords, ids: readonly string[]): void;
  lost(sink: SinkRecords, ids: readonly string[], losses: Losses): void;
  reported(sink: SinkRecords): void;
  attempted(sink: SinkRecords, ids: readonly string[], count: number): void;
  moved(sink: SinkRecords, from: string): void;
}

/** What a sink gets in one message: a notification, or a summary of several. */
export interface Item {
  readonly notification: Notification;
  readonly members: readonly Delivery[];
}

/**
 * Where an item waits: `queued` for the sink, `errors` and `overflow` for a summary of what the throttle or a pause of
 * the sink held back, and repeats, `later` for the end of quiet hours or of a digest period.
 */
export type Place = 'queued' | 'errors' | 'overflow' | 'later';

/** Bounds of what waits at one sink: the texts in UTF-16 units. */
const MAX_ITEMS = 10_000;
const MAX_TEXT_UNITS = 8 * 1024 * 1024;

/**
 * All that one sink has to deliver, where it waits, and the losses that its people do not know yet. If it is too much,
 * the oldest infos are lost first, then warnings, then errors.
 */
export class SinkRecords {
  readonly #file: RecordFile;
  readonly #clock: Pick<Clock, 'elapsedMs'>;
  readonly #maxItems: number;
  readonly #deliveries = new Map<string, Delivery>();
  readonly #items: Record<Place, Item[]> = { queued: [], errors: [], overflow: [], later: [] };
  readonly #counts: Record<Level, number> = { info: 0, warn: 0, error: 0 };
  #textUnits = 0;
  #key: string;
  #losses: Losses | undefined;
  /** What the notice that is being delivered reports, and what it leaves to the next one. */
  #sent: { readonly losses: Losses; readonly rest: Losses | undefined } | undefined;

  constructor(key: string, file: RecordFile, clock: Pick<Clock, 'elapsedMs'>, maxItems: number = MAX_ITEMS) {
    this.#key = key;
    this.#file = file;
    this.#clock = clock;
    this.#maxItems = maxItems;
  }

  get key(): string {
    return this.#key;
  }

  /** stderr belongs to this process: no later one can deliver to it. */
  get isStored(): boolean {
    return !this.#key.startsWith('stderr-');
  }

  /** How many notifications wait, are held, or are lost and not reported. */
  get size(): number {
    return this.#deliveries.size + (this.losses === undefined ? 0 : countLost(this.losses));
  }

  /** What was lost and is not reported yet. */
  get losses(): Losses | undefined {
    return merged(this.#sent?.losses, this.#losses);
  }

  get(id: string): Delivery | undefined {
    return this.#deliveries.get(id);
  }

  /**
   * `place` follows, except for what waits until the person has not seen it in time.
   *
   * @param waitedMs how long it has waited in earlier servers
   */
  add(notification: Notification, stage: Stage = 'queued', waitedMs = 0): Delivery {
    const delivery = { notification, stage, isRepeat: false, sinceMs: this.#clock.elapsedMs() - waitedMs };
    this.#deliveries.set(notification.id, delivery);
    return delivery;
  }

  /** How many items wait there. */
  count(place: Place): number {
    return this.#items[place].length;
  }

  /** Puts items in a place, at its end. */
  place(place: Place, items: readonly Item[]): void {
    for (const each of items) {
      this.#items[place].push(each);
      this.#count(each, 1);
    }
    this.#shrink();
  }

  /** Puts items that could not be delivered back to the front. */
  putBack(taken: readonly Item[]): void {
    this.#items.queued.unshift(...taken);
    for (const each of taken) this.#count(each, 1);
    this.#shrink();
  }

  /** Removes the oldest items from a place, and returns them. */
  take(place: Place, count = Infinity): Item[] {
    return this.#taken(place, 0, count);
  }

  /** Milliseconds until the next attempt of any item of the queue. */
  waitMs(nowMs: number): number {
    let least = Infinity;
    for (const { members } of this.#items.queued) {
      least = Math.min(least, Math.max(0, (members[0]?.tried?.notBefore ?? 0) - nowMs));
      if (least === 0) break;
    }
    return least;
  }

  /**
   * Takes the next item for a sink that takes one at a time: errors overtake infos, what has failed since the last
   * success lets the others try, and what fails while others work comes last.
   */
  takeNext(nowMs: number, successes: number): Item[] {
    let [best, found] = [Infinity, -1];
    for (const [index, { notification, members }] of this.#items.queued.entries()) {
      const tried = members[0]?.tried;
      if ((tried?.notBefore ?? 0) > nowMs) continue;
      const hasFailed = tried?.successes === successes;
      const rank = (isBehind(tried) ? 20 : 0) + (hasFailed ? 10 : 0) - severity(notification.level);
      if (rank < best) [best, found] = [rank, index];
    }
    return found === -1 ? [] : this.#taken('queued', found, 1);
  }

  /** The sink has these, or needs them no more. */
  done(deliveries: readonly Delivery[]): void {
    this.#file.done(this, this.#remove(deliveries));
  }

  lost(deliveries: readonly Delivery[], cause: string): void {
    const losses = lossesOf(
      deliveries.map(({ notification }) => notification),
      cause,
    );
    this.#losses = mergedLosses(this.#losses, losses);
    this.#file.lost(this, this.#remove(deliveries), losses);
  }

  /** Takes over losses of another server. */
  addLosses(losses: Losses): void {
    this.#losses = mergedLosses(this.#losses, losses);
    this.#file.lost(this, [], losses);
  }

  failed(deliveries: readonly Delivery[], tried: Tried): void {
    const isCounted = deliveries.some((each) => tried.count > (each.tried?.count ?? 0));
    for (const each of deliveries) each.tried = tried;
    const ids = deliveries.map(({ notification }) => notification.id);
    if (isCounted) this.#file.attempted(this, ids, tried.count);
  }

  /** Takes the next notice of losses. `reported` or `notReported` follows. */
  nextNotice(maxCodePoints: number): NotificationInput | undefined {
    if (this.#losses === undefined) return undefined;
    const { notice, rest } = lossNotice(this.#losses, maxCodePoints);
    this.#sent = { losses: this.#losses, rest };
    this.#losses = undefined;
    return notice;
  }

  reported(): void {
    const { rest } = this.#sent ?? {};
    this.#sent = undefined;
    this.#losses = merged(rest, this.#losses);
    this.#file.reported(this);
    if (this.#losses !== undefined) this.#file.lost(this, [], this.#losses);
  }

  /** @param isRefused the receiver refused the text: it would refuse it in the next notice too */
  notReported(isRefused: boolean): void {
    const { losses } = this.#sent ?? {};
    this.#sent = undefined;
    if (losses === undefined) return;
    const again = isRefused ? { ...losses, tally: { ...losses.tally, lines: [] } } : losses;
    this.#losses = merged(again, this.#losses);
  }

  /** The sink has another target, and gets what waited for the old one. */
  move(key: string): void {
    const from = this.#key;
    this.#key = key;
    if (key !== from) this.#file.moved(this, from);
  }

  /** It is not needed any more. */
  drop(id: string): void {
    const delivery = this.#deliveries.get(id);
    if (delivery !== undefined) this.done([delivery]);
  }

  /** Drops everything. */
  forget(): void {
    this.done([...this.#deliveries.values()]);
    if (this.losses !== undefined) this.#file.reported(this);
    this.#losses = undefined;
    this.#sent = undefined;
  }

  #count({ notification: { level, message } }: Item, sign: 1 | -1): void {
    this.#counts[level] += sign;
    this.#textUnits += sign * message.length;
  }

  #taken(place: Place, start: number, count: number): Item[] {
    const taken = this.#items[place].splice(start, count);
    for (const each of taken) this.#count(each, -1);
    return taken;
  }

  #shrink(): void {
    const dropped: Item[] = [];
    for (;;) {
      const { info, warn, error } = this.#counts;
      const total = info + warn + error;
      if (total <= this.#maxItems && (this.#textUnits <= MAX_TEXT_UNITS || total <= 1)) break;
      const victim = LEVELS.find((level) => this.#counts[level] > 0);
      for (const place of ['later', 'overflow', 'errors', 'queued'] as const) {
        const index = this.#items[place].findIndex(({ notification }) => notification.level === victim);
        if (index === -1) continue;
        dropped.push(...this.#taken(place, index, 1));
        break;
      }
    }
    if (dropped.length > 0) this.lost(membersOf(dropped), 'the queue was full');
  }

  #remove(deliveries: readonly Delivery[]): readonly string[] {
    const ids = deliveries.map(({ notification }) => notification.id);
    return ids.filter((id) => this.#deliveries.delete(id));
  }
}

export function itemOf(delivery: Delivery): Item {
  return { notification: delivery.notification, members: [delivery] };
}

export function membersOf(items: readonly Item[]): readonly Delivery[] {
  return items.flatMap(({ members }) => members);
}

/** How long the first of them has waited. The monotonic clock can stand still while the machine sleeps. */
export function longestWaitMs(deliveries: readonly Delivery[], clock: Clock): number {
  const [elapsedMs, wallMs] = [clock.elapsedMs(), clock.now().getTime()];
  const waits = deliveries.map(({ sinceMs, notification }) =>
    Math.max(elapsedMs - sinceMs, wallMs - notification.time),
  );
  return waits.reduce((longest, waitMs) => Math.max(longest, waitMs), 0);
}

function merged(first: Losses | undefined, second: Losses | undefined): Losses | undefined {
  return second === undefined ? first : mergedLosses(first, second);
}
