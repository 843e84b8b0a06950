import type { Deliveries, Delivery, FreeDeliveries, NewDelivery } from '@deskside/desktop';
import type { Clock } from '@deskside/core/base';
import { type Losses, lossesOf, lossNotice, mergedLosses } from '../notification/losses.ts';
import {
  type Level,
  type Notification,
  type NotificationInput,
  severity,
} from '../notification/notification.ts';
import { totalOf } from '../notification/tally.ts';

/**
 * Where a notification waits: in the queue; for its summary, because a limit, quiet hours, a digest or a pause of the
 * sink holds it back; in the summary that is delivered next; until the person has not seen it in time. What is lost
 * waits for a notice.
 */
export type State = 'queued' | 'held' | 'summary' | 'unseen' | 'lost';

/** One sink's part of a notification that it has not got yet. */
export interface Row extends Delivery {
  readonly notification: Notification;
  /** The sink got the same shortly before. */
  readonly isRepeat: boolean;
}

interface Part {
  readonly count: number;
  /** When the first of it is due. */
  readonly due: number;
}

/** What waits at a sink. */
export interface Waiting extends Readonly<Record<'queued' | 'summary' | 'held' | 'unseen' | 'lost', Part>> {
  readonly heldErrors: Part;
  /** Messages that have failed since the last success. */
  readonly failed: number;
}

/** Bounds of what waits at one sink, and the part of them that may come before it is looked at again. */
const MAX_ROWS = 10_000;
const MAX_BYTES = 8 * 1024 * 1024;
const UNCHECKED = 0.01;

/** Age after which what waits counts as lost. */
export const MAX_AGE_DAYS = 7;
export const MAX_AGE_MS = MAX_AGE_DAYS * 24 * 60 * 60 * 1000;

/** Parts of a rank: the level, which is 0 for errors, and what has failed since the last success. */
const [LEVEL, FAILED] = [3, 4];
/** Attempts after which a message is lost. */
const MAX_ATTEMPTS = 20;
const MAX_PAUSE_MS = 15 * 60_000;

/** When a row is due, with the time as the third value. After a setback of the time of day it is not known: now. */
const DUE = `iif(time > ?3 OR (state IN ('queued', 'summary') AND due > ?3 + ${MAX_PAUSE_MS}), 0, due)`;
const IN = 'number IN (SELECT value FROM json_each(?))';

/**
 * All that one sink has to deliver, in the desk database, and the losses that its people do not know yet. If it is too
 * much, the oldest infos are lost first, then warnings, then errors. A read is undefined while another process holds
 * the database. See docs/decisions/0038.
 */
export class SinkRecords {
  /** Identifies the target of the sink across restarts. */
  readonly key: string;
  readonly #deliveries: Deliveries;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #maxRows: number;
  #origin: string | null;
  /** What came since it was looked whether it is too much. */
  #unchecked = { rows: 0, bytes: 0 };
  #hasFailed = false;

  constructor(
    key: string,
    origin: string | null,
    deliveries: Deliveries,
    clock: Pick<Clock, 'now'>,
    maxRows = MAX_ROWS,
  ) {
    this.key = key;
    this.#origin = origin;
    this.#deliveries = deliveries;
    this.#clock = clock;
    this.#maxRows = maxRows;
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
    const unchecked = this.#unchecked;
    unchecked.rows += 1;
    unchecked.bytes += text.length;
    const isChecked = unchecked.rows > this.#maxRows * UNCHECKED || unchecked.bytes > MAX_BYTES * UNCHECKED;
    if (!isChecked) return true;
    this.shrink();
    return this.#find('id = ? AND state = ?', id, state)?.length !== 0;
  }

  waiting(): Waiting | undefined {
    const columns = `state, rank, count(*) AS count, min(${DUE}) AS due`;
    const where = 'sink = ?2 GROUP BY state, rank';
    const counts = this.#deliveries.select(columns, where, this.key, this.#nowMs);
    if (counts === undefined) return undefined;
    const part = (state: State, fits: (rank: number) => boolean = () => true): Part => {
      const all = counts.filter((each) => each['state'] === state && fits(Number(each['rank'])));
      const count = all.reduce((sum, each) => sum + Number(each['count']), 0);
      return { count, due: Math.min(...all.map(({ due }) => Number(due))) };
    };
    return {
      queued: part('queued'),
      summary: part('summary'),
      held: part('held', (rank) => !isError(rank)),
      heldErrors: part('held', isError),
      unseen: part('unseen'),
      lost: part('lost'),
      failed: part('queued', hasFailed).count + Math.min(1, part('summary', hasFailed).count),
    };
  }

  /** Loses the oldest infos, then warnings, then errors, until the rest fits. */
  shrink(): void {
    this.#unchecked = { rows: 0, bytes: 0 };
    const kept = `SELECT number, row_number() OVER kept AS place, sum(octet_length(text)) OVER kept AS bytes
      FROM deliveries WHERE owner = ?1 AND sink = ?2 AND state IN ('queued', 'summary', 'held')
      WINDOW kept AS (ORDER BY rank & ${LEVEL}, number DESC)`;
    const excess = `number IN (SELECT number FROM (${kept}) WHERE place > ?3 OR (bytes > ?4 AND place > 1))`;
    const rows = this.#deliveries.find(excess, this.key, this.#maxRows, MAX_BYTES) ?? [];
    this.lost(rows.map(rowOf), 'the queue was full');
  }

  /**
   * The next of the queue that are due. If a sink takes one message at a time, errors overtake infos, and what has failed
   * since the last success lets the others try.
   */
  next(count: number): readonly Row[] {
    const order = count === 1 ? 'rank, due, number' : 'number';
    const where = `sink = ?2 AND state = 'queued' AND ${DUE} <= ?3 ORDER BY ${order} LIMIT ?`;
    return (this.#deliveries.find(where, this.key, this.#nowMs, count) ?? []).map(rowOf);
  }

  /** The rows of the next summary. */
  nextSummary(): readonly Row[] {
    const where = `sink = ?2 AND state = 'summary' AND ${DUE} <= ?3 ORDER BY number`;
    const all = (this.#deliveries.find(where, this.key, this.#nowMs) ?? []).map(rowOf);
    const errors = all.filter(({ rank }) => isError(rank));
    return errors.length > 0 ? errors : all;
  }

  /** Those of `unseen` that are due. */
  unseen(): readonly Row[] {
    const where = `sink = ?2 AND state = 'unseen' AND ${DUE} <= ?3`;
    return (this.#deliveries.find(where, this.key, this.#nowMs) ?? []).map(rowOf);
  }

  move(rows: readonly Row[], state: State): void {
    if (rows.length > 0) this.#deliveries.update('state = ?, due = 0', IN, state, numbersOf(rows));
  }

  /** What is held is delivered in a summary. */
  summarize(areErrors: boolean): void {
    const where = `sink = ? AND state = 'held' AND (rank & ${LEVEL} = 0) = ?`;
    this.#deliveries.update("state = 'summary', due = 0", where, this.key, Number(areErrors));
  }

  /** What is held does not wait for its time. */
  hurry(): void {
    this.#deliveries.update('due = 0', "sink = ? AND state = 'held'", this.key);
  }

  /** The sink has these, or needs them no more. */
  done(rows: readonly Row[]): void {
    this.#deliveries.replace(rows.map(({ number }) => number));
  }

  /** The person has seen it: no further sink gets it. */
  seen(id: string): void {
    this.#deliveries.delete("state = 'unseen' AND id = ?", id);
  }

  lost(rows: readonly Row[], cause: string): void {
    if (rows.length === 0) return;
    const added = lossesOf(
      rows.map(({ notification }) => notification),
      cause,
    );
    const { losses, numbers } = this.#losses();
    const all = mergedLosses(losses, added);
    this.#deliveries.replace([...rows.map(({ number }) => number), ...numbers], [this.#lossRow(all)]);
  }

  /** An outage counts against nothing: see `succeeded`. What has no attempts left, or is too old, is lost. */
  failed(rows: readonly Row[], failure: string): void {
    const isHopeless = ({ attempts }: Row) => attempts >= MAX_ATTEMPTS - 1;
    this.lost(rows.filter(isHopeless), `${MAX_ATTEMPTS} attempts failed: ${failure}`);
    const others = rows.filter((row) => !isHopeless(row));
    this.#deliveries.update(`rank = rank | ${FAILED}`, IN, numbersOf(others));
    this.#hasFailed = true;
    this.loseOld(failure);
  }

  /** The receiver works, so what has failed before was refused alone: it counts, and tries again later each time. */
  succeeded(): void {
    if (!this.#hasFailed) return;
    this.#hasFailed = false;
    const due = `iif(attempts = 0, 0, ? + min(${MAX_PAUSE_MS}, 1000 << attempts))`;
    const set = `attempts = attempts + 1, rank = rank & ${LEVEL}, due = ${due}`;
    this.#deliveries.update(set, `sink = ? AND rank & ${FAILED}`, this.#nowMs, this.key);
  }

  loseOld(failure?: string): void {
    const old = this.#find("state <> 'lost' AND time < ?", this.#nowMs - MAX_AGE_MS) ?? [];
    this.lost(old, `it waited for ${MAX_AGE_DAYS} days${failure === undefined ? '' : `: ${failure}`}`);
  }

  /** The next notice of losses; undefined if nothing was lost. `reported` or `refused` follows. */
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

  /** The sink has another place in the configuration. */
  moveTo(origin: string | null): void {
    if (origin !== this.#origin) this.#deliveries.update('origin = ?', 'sink = ?', origin, this.key);
    this.#origin = origin;
  }

  /** Leaves what waits to other sinks and processes. */
  release(): void {
    this.#deliveries.release('sink = ?', this.key);
  }

  /** Takes over what a process that has ended left for a sink. Its attempts begin anew. */
  take(free: FreeDeliveries): void {
    const set = `sink = ?, origin = ?, rank = rank & ~${FAILED}, due = iif(state = 'queued', 0, due)`;
    this.#deliveries.take(free, set, this.key, this.#origin);
    this.loseOld();
    this.shrink();
  }

  forget(): void {
    this.#deliveries.delete('sink = ?', this.key);
  }

  get #nowMs(): number {
    return this.#clock.now().getTime();
  }

  #find(where: string, ...values: readonly (string | number)[]): readonly Row[] | undefined {
    const found = this.#deliveries.find(`sink = ? AND ${where} ORDER BY number`, this.key, ...values);
    return found?.map(rowOf);
  }

  #losses(): { readonly losses: Losses | undefined; readonly numbers: readonly number[] } {
    const rows = this.#deliveries.find("sink = ? AND state = 'lost'", this.key) ?? [];
    let losses: Losses | undefined;
    for (const { text } of rows) losses = mergedLosses(losses, JSON.parse(text));
    return { losses, numbers: rows.map(({ number }) => number) };
  }

  #lossRow(losses: Losses): NewDelivery {
    const row = this.#row(JSON.stringify(losses), 'info');
    return { ...row, state: 'lost', time: this.#nowMs, attempts: totalOf(losses.tally) };
  }

  #row(text: string, level: Level): NewDelivery {
    const rank = severity('error') - severity(level);
    const [sink, origin] = [this.key, this.#origin];
    return { id: '', sink, origin, after: null, state: 'queued', rank, time: 0, due: 0, attempts: 0, text };
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

/** JSON. */
function numbersOf(rows: readonly Row[]): string {
  return JSON.stringify(rows.map(({ number }) => number));
}

export function isError(rank: number): boolean {
  return (rank & LEVEL) === 0;
}

function hasFailed(rank: number): boolean {
  return (rank & FAILED) !== 0;
}
