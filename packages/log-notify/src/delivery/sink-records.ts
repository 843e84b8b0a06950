import {
  BEHIND,
  type Deliveries,
  type Delivery,
  type DeliveryCount,
  FAILED,
  type NewDelivery,
} from '@deskside/desktop';
import type { Clock } from '@deskside/core/base';
import { countLost, type Losses, lossesOf, lossNotice, mergedLosses } from '../notification/losses.ts';
import {
  LEVELS,
  type Level,
  type Notification,
  type NotificationInput,
  severity,
} from '../notification/notification.ts';

/**
 * Where a notification waits: in the queue of the sink, for a summary of what the throttle or a pause of the sink held
 * back, and repeats; for the end of quiet hours or of a digest period; until the person has not seen it in time. What
 * is lost waits for a notice.
 */
export type State = 'queued' | 'held' | 'later' | 'unseen' | 'lost';

/** One sink's part of a notification that it has not got yet. */
export interface Row extends Delivery {
  readonly notification: Notification;
  /** The sink got the same shortly before. */
  readonly isRepeat: boolean;
}

/** What a sink gets in one message: a notification, or a summary of several. */
export interface Item {
  readonly notification: Notification;
  readonly rows: readonly Row[];
}

/** How many rows wait. */
export interface Waiting {
  readonly total: number;
  readonly queued: number;
  /** The next attempt of what is queued. */
  readonly dueAt: number;
  readonly heldErrors: number;
  readonly held: number;
  readonly later: number;
  /** Time of the oldest one of `later`. */
  readonly laterSince: number;
  /** Rows of losses. */
  readonly lost: number;
}

/** Bounds of what waits at one sink. */
const MAX_ROWS = 10_000;
const MAX_BYTES = 8 * 1024 * 1024;
/** How much more is looked at: each look costs time. */
const SLACK = 0.01;
const CHUNK_ROWS = 16;
/** The part of a rank that is the level: 0 for errors. */
const LEVEL_OF_RANK = 3;

/** Age after which what waits counts as lost. */
export const MAX_AGE_DAYS = 7;
export const MAX_AGE_MS = MAX_AGE_DAYS * 24 * 60 * 60 * 1000;

/** Attempts after which a message goes behind the others, and after which it is lost. */
const BEHIND_AFTER = 3;
const MAX_ATTEMPTS = 20;
const MAX_PAUSE_MS = 15 * 60_000;

/**
 * All that one sink has to deliver, in the desk database, and the losses that its people do not know yet. If it is too
 * much, the oldest infos are lost first, then warnings, then errors. A read is undefined while another process holds
 * the database. See docs/decisions/0038.
 */
export class SinkRecords {
  readonly #deliveries: Deliveries;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #maxRows: number;
  #key: string;
  #origin: string | null;
  /** At most so much waits. */
  #rows = 0;
  #bytes = 0;
  /** By message: how many deliveries had worked when it failed. */
  readonly #failedAt = new Map<string, number>();
  #hasFailed = false;

  constructor(
    key: string,
    origin: string | null,
    deliveries: Deliveries,
    clock: Pick<Clock, 'now'>,
    maxRows = MAX_ROWS,
  ) {
    this.#key = key;
    this.#origin = origin;
    this.#deliveries = deliveries;
    this.#clock = clock;
    this.#maxRows = maxRows;
  }

  get key(): string {
    return this.#key;
  }

  /** Where the sink is configured, for other processes. */
  get origin(): string | null {
    return this.#origin;
  }

  /** Only one message has failed since the last success: the receiver may accept another one. */
  isOneFailed(successes: number): boolean {
    return [...this.#failedAt.values()].filter((failedAt) => failedAt === successes).length === 1;
  }

  /** @returns false if there is no room for it: it is lost */
  add(
    notification: Notification,
    state: State,
    { isRepeat = false, due = 0, after = null }: Partial<Pick<Row, 'isRepeat' | 'due' | 'after'>> = {},
  ): boolean {
    const text = JSON.stringify({ notification, isRepeat });
    const { id, time, level } = notification;
    this.#deliveries.replace([], [{ ...this.#row(text, level), id, time, state, due, after }]);
    this.#rows += 1;
    this.#bytes += Buffer.byteLength(text);
    const [tooManyRows, tooManyBytes] = [this.#maxRows, MAX_BYTES].map((limit) => limit * (1 + SLACK));
    if (this.#rows <= Number(tooManyRows) && this.#bytes <= Number(tooManyBytes)) return true;
    this.shrink();
    return this.#deliveries.find({ id, sink: this.#key, state }, 1)?.length !== 0;
  }

  waiting(): Waiting | undefined {
    const counts = this.#deliveries.counts(this.#key);
    if (counts === undefined) return undefined;
    const of = (state: State) => counts.filter((each) => each.state === state);
    const lost = sum(of('lost'));
    this.#rows = sum(counts) - lost;
    return {
      total: this.#rows,
      queued: sum(of('queued')),
      dueAt: least(of('queued'), 'due'),
      heldErrors: sum(of('held').filter(isError)),
      held: sum(of('held').filter((each) => !isError(each))),
      later: sum(of('later')),
      laterSince: least(of('later'), 'oldest'),
      lost,
    };
  }

  /** Loses the oldest infos, then warnings, then errors, until the rest fits. */
  shrink(): void {
    if (this.waiting() === undefined) return;
    this.#bytes = this.#deliveries.bytes(this.#key);
    const isTooMuch = () => this.#rows > this.#maxRows || (this.#bytes > MAX_BYTES && this.#rows > 1);
    for (const level of LEVELS) {
      for (const state of ['later', 'held', 'queued'] as const) {
        for (;;) {
          if (!isTooMuch()) return;
          const filter = { sink: this.#key, state, level: severity(level) };
          const oldest = (this.#deliveries.find(filter, CHUNK_ROWS) ?? []).map(rowOf);
          if (oldest.length === 0) break;
          let [rows, bytes] = [this.#rows, this.#bytes];
          const dropped = oldest.filter(({ text }) => {
            if (rows <= this.#maxRows && (bytes <= MAX_BYTES || rows <= 1)) return false;
            rows -= 1;
            bytes -= Buffer.byteLength(text);
            return true;
          });
          this.lost(dropped, 'the queue was full');
          this.#rows = rows;
        }
      }
    }
  }

  /** What waits there, the oldest first. */
  in(state: State): readonly Row[] {
    return (this.#deliveries.find({ sink: this.#key, state }) ?? []).map(rowOf);
  }

  /**
   * The next rows of the queue. If a sink takes one message at a time, errors overtake infos, what has failed since
   * the last success lets the others try, and what fails while others work comes last.
   */
  next(count: number): readonly Row[] | undefined {
    const dueAt = this.#clock.now().getTime();
    const filter = { sink: this.#key, state: 'queued', ...(count === 1 ? { dueAt } : {}) };
    return this.#deliveries.find(filter, count, count === 1)?.map(rowOf);
  }

  /** The rows of one message. */
  together(part: string): readonly Row[] {
    return (this.#deliveries.find({ sink: this.#key, state: 'queued', part }) ?? []).map(rowOf);
  }

  /** @param part rows with the same one are one message */
  move(rows: readonly Row[], state: State, part: string | null = null): void {
    this.#deliveries.change(numbersOf(rows), { state, part });
  }

  /** The sink has these, or needs them no more. */
  done(rows: readonly Row[]): void {
    this.#deliveries.replace(numbersOf(rows));
    this.#forgetBytes(rows);
    for (const row of rows) this.#failedAt.delete(messageOf(row));
  }

  lost(rows: readonly Row[], cause: string): void {
    if (rows.length === 0) return;
    const added = lossesOf(
      rows.map(({ notification }) => notification),
      cause,
    );
    const { losses, numbers } = this.#losses();
    this.#deliveries.replace([...numbersOf(rows), ...numbers], [this.#lossRow(mergedLosses(losses, added))]);
    this.#forgetBytes(rows);
    for (const row of rows) this.#failedAt.delete(messageOf(row));
  }

  /**
   * Counts an attempt of each only if the receiver accepted something since the one before: an outage counts against
   * nothing. What has no attempts left, or is too old, is lost.
   *
   * @param successes how many deliveries to the receiver have worked
   */
  failed(rows: readonly Row[], successes: number, failure: string): void {
    const nowMs = this.#clock.now().getTime();
    const changes = new Map<string, number[]>();
    const before = new Map(this.#failedAt);
    for (const row of rows) {
      const { number, rank } = row;
      const isOwnFault = (before.get(messageOf(row)) ?? successes) < successes;
      const attempts = row.attempts + (isOwnFault ? 1 : 0);
      if (attempts >= MAX_ATTEMPTS) {
        this.lost([row], `${MAX_ATTEMPTS} attempts failed: ${failure}`);
        continue;
      }
      const isBehind = attempts >= BEHIND_AFTER;
      const due = isOwnFault ? nowMs + Math.min(MAX_PAUSE_MS, 1000 * 2 ** attempts) : 0;
      this.#failedAt.set(messageOf(row), successes);
      const change = JSON.stringify({ attempts, due, rank: rank | FAILED | (isBehind ? BEHIND : 0) });
      changes.set(change, [...(changes.get(change) ?? []), number]);
    }
    this.#hasFailed = true;
    for (const [change, numbers] of changes) this.#deliveries.change(numbers, JSON.parse(change));
    this.loseOld(failure);
  }

  /** The receiver works: what has failed before gets its turn again. */
  succeeded(): void {
    if (this.#hasFailed) this.#deliveries.forgive(this.#key);
    this.#hasFailed = false;
  }

  loseOld(failure?: string): void {
    const before = this.#clock.now().getTime() - MAX_AGE_MS;
    const found = this.#deliveries.find({ sink: this.#key, before }) ?? [];
    const old = found.filter(({ state }) => state !== 'lost').map(rowOf);
    this.lost(old, `it waited for ${MAX_AGE_DAYS} days${failure === undefined ? '' : `: ${failure}`}`);
  }

  /** The next notice of losses; undefined if nothing was lost. `reported` or `notReported` follows. */
  nextNotice(maxCodePoints: number): LossReport | undefined {
    const { losses, numbers } = this.#losses();
    if (losses === undefined) return undefined;
    return { ...lossNotice(losses, maxCodePoints), losses, numbers };
  }

  reported({ numbers, rest }: LossReport): void {
    this.#deliveries.replace(numbers, rest === undefined ? [] : [this.#lossRow(rest)]);
  }

  /** The receiver refused the text: it would refuse it in the next notice too. */
  refused({ numbers, losses }: LossReport): void {
    const withoutTexts = { ...losses, tally: { ...losses.tally, lines: [] } };
    this.#deliveries.replace(numbers, [this.#lossRow(withoutTexts)]);
  }

  /** The sink has another target, or place in the configuration, and gets what waited for the old one. */
  rename(key: string, origin: string | null): void {
    if (key !== this.#key || origin !== this.#origin) this.#deliveries.rename(this.#key, key, origin);
    this.#key = key;
    this.#origin = origin;
  }

  /** Drops everything. @returns how many notifications waited, or were lost and not reported */
  forget(): number {
    const rows = this.#deliveries.find({ sink: this.#key }) ?? [];
    const { losses } = this.#losses();
    this.#deliveries.replace(rows.map(({ number }) => number));
    const waiting = rows.filter(({ state }) => state !== 'lost').length;
    return waiting + (losses === undefined ? 0 : countLost(losses));
  }

  #losses(): { readonly losses: Losses | undefined; readonly numbers: readonly number[] } {
    const rows = this.#deliveries.find({ sink: this.#key, state: 'lost' }) ?? [];
    let losses: Losses | undefined;
    for (const { text } of rows) losses = mergedLosses(losses, JSON.parse(text));
    return { losses, numbers: rows.map(({ number }) => number) };
  }

  #lossRow(losses: Losses): NewDelivery {
    return { ...this.#row(JSON.stringify(losses), 'info'), state: 'lost', time: this.#clock.now().getTime() };
  }

  #row(text: string, level: Level): NewDelivery {
    const rank = severity('error') - severity(level);
    return {
      id: '',
      sink: this.#key,
      origin: this.#origin,
      part: null,
      after: null,
      state: 'queued',
      rank,
      level: severity(level),
      time: 0,
      due: 0,
      attempts: 0,
      text,
    };
  }

  #forgetBytes(rows: readonly Row[]): void {
    for (const { text } of rows) this.#bytes -= Buffer.byteLength(text);
  }
}

/** A notice of losses that is being delivered. */
export interface LossReport {
  readonly notice: NotificationInput;
  readonly losses: Losses;
  /** What it leaves to the next one. */
  readonly rest: Losses | undefined;
  readonly numbers: readonly number[];
}

/** Only this program writes the text, so its parts are not checked. */
function rowOf(delivery: Delivery): Row {
  return { ...delivery, ...JSON.parse(delivery.text) };
}

function numbersOf(rows: readonly Row[]): readonly number[] {
  return rows.map(({ number }) => number);
}

function sum(counts: readonly DeliveryCount[]): number {
  return counts.reduce((total, { count }) => total + count, 0);
}

function least(counts: readonly DeliveryCount[], column: 'due' | 'oldest'): number {
  return Math.min(...counts.map((each) => each[column]));
}

function isError({ rank }: DeliveryCount): boolean {
  return (rank & LEVEL_OF_RANK) === 0;
}

function messageOf({ part, number }: Row): string {
  return part ?? String(number);
}
