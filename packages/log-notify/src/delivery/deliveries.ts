import { randomUUID } from 'node:crypto';
import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { Scheduler } from '@deskside/core/base';
import type { Connection, DeskDatabase } from '@deskside/desktop';
import { type Notification, severity } from '../notification/notification.ts';
import { type Losses, lossesOf, mergedLosses, noticeOf, totalOf } from '../notification/summary.ts';

/**
 * Where a notification waits at a sink: to be sent, for a summary, or until the person has not seen it in time. `lost` is
 * one row per sink: what was lost, until a notice of it is sent.
 */
export type State = 'queued' | 'held' | 'unseen' | 'lost';

/** What a sink has to do with a notification. The columns are explained in the schema of the desk database. */
export interface Row {
  readonly number: number;
  readonly id: string;
  readonly origin: string | null;
  readonly state: State;
  /** 0 for an error and for what was lost, 1 for a warning, 2 for an info. */
  readonly rank: number;
  readonly time: number;
  readonly attempts: number;
  readonly notification: Notification;
  /** The sink got the same shortly before. */
  readonly isRepeat: boolean;
}

export interface NewRow {
  readonly sink: string;
  readonly origin: string | null;
  readonly state: State;
  readonly due?: number;
  /** The sink that has it now: this one gets it if the person does not see it there. */
  readonly after?: string | null;
  readonly isRepeat?: boolean;
}

/** When something of a kind is due first, in milliseconds since 1970. Infinite if there is none. */
export type DueOf = (kind: State | 'held errors') => number;

/** Rows of ended processes, for one sink. */
export interface FreeRows {
  /** JSON: of the owners. */
  readonly owners: string;
  readonly sink: string;
  readonly origin: string | null;
}

/** A process that delivers, as other processes know it. */
export interface DeliveryOwner {
  readonly id: string;
  /** @param since when it last said that it lives @param unknownMs how long one counts that nothing is known of */
  hasEnded(id: string, since: Date, unknownMs: number): boolean;
}

const NOBODY = '';
/** An owner on another machine or in another container says each minute that it lives. */
const LEASE_MS = 600_000;
/** What waits longer is lost. */
export const MAX_AGE_DAYS = 7;
const MAX_AGE_MS = MAX_AGE_DAYS * 24 * 60 * 60 * 1000;
/** Of the text that waits at one sink. */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_PAUSE_MS = 15 * 60_000;
/** A number is of its time, so that no other place has it: what is taken over keeps it. */
const NUMBERS_PER_MS = 1000;

const COLUMNS = ['id', 'sink', 'origin', 'after', 'state', 'rank', 'time', 'due', 'attempts', 'text'];
const INSERT = `INSERT INTO deliveries (number, ${COLUMNS.join(', ')}, owner, leased)
  VALUES (max((SELECT coalesce(max(number), 0) + 1 FROM deliveries), ?), ${COLUMNS.map(() => '?').join(', ')}, ?, ?)`;
const IN = 'IN (SELECT value FROM json_each(?))';
const OWN = 'owner = ?1 AND sink = ?2';
/** When what waits began to wait. A summary can come later than what is too old. */
const AGED = "max(time, iif(state = 'held', due, 0))";
const IS_FREE = `owner ${IN} AND sink = ? AND origin IS ?`;
/** When a row is due; `?3` is the time. After a setback of the time of day it is not known: now. */
const DUE = `iif(time > ?3 OR (state = 'queued' AND due > ?3 + ${MAX_PAUSE_MS}), 0, due)`;

/**
 * What this process has to deliver, as rows of the desk database. A write is stored with the next read, or with `stored`;
 * a read waits for another process that writes, and knows all that this process has written. See docs/decisions/0038.
 */
export class Deliveries {
  readonly #database: DeskDatabase;
  readonly #clock: Pick<Scheduler, 'now'>;
  readonly #owner: DeliveryOwner;
  #unstored = 0;

  constructor(database: DeskDatabase, clock: Pick<Scheduler, 'now'>, owner: DeliveryOwner) {
    this.#database = database;
    this.#clock = clock;
    this.#owner = owner;
  }

  /** False if no process has left anything. It creates no database. */
  get mayBeFree(): boolean {
    if (!this.#database.exists) return false;
    const found = this.#database.tryRead((connection) =>
      connection.statement('SELECT 1 FROM deliveries LIMIT 1').get(),
    );
    return found === undefined || found.value !== undefined;
  }

  /** What waits is lost with this process: the database cannot be written. */
  get isTemporary(): boolean {
    return this.#database.isTemporary;
  }

  /** Resolves when everything that was written is stored, or given up. */
  stored(): Promise<void> {
    if (this.#unstored === 0) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#database.write({ run: () => undefined, done: resolve, lost: resolve }, true);
    return promise;
  }

  add(notification: Notification, { sink, origin, state, due = 0, after = null, isRepeat }: NewRow): void {
    const { id, time, level } = notification;
    const rank = severity('error') - severity(level);
    const text = JSON.stringify({ notification, isRepeat });
    this.#write((connection) => {
      const nowMs = this.#nowMs;
      const values = [id, sink, origin, after, state, rank, time, due, 0, text];
      connection.statement(INSERT).run(nowMs * NUMBERS_PER_MS, ...values, this.#owner.id, nowMs);
    });
  }

  /** The errors that are held are a kind of their own. */
  async due(sink: string): Promise<DueOf> {
    const kind = "iif(state = 'held' AND rank = 0, 'held errors', state)";
    const sql = `SELECT ${kind} AS kind, min(${DUE}) AS due FROM deliveries WHERE ${OWN} GROUP BY kind`;
    const found = new Map(
      (await this.#all(sql, sink, this.#nowMs)).map((each) => [each['kind'], Number(each['due'])]),
    );
    return (each) => found.get(each) ?? Infinity;
  }

  /**
   * The next that are due. One alone: the most severe and oldest, if it is not in `failed`.
   *
   * @param failed numbers of those that come last, in this order
   */
  async queued(sink: string, count: number, failed: readonly number[]): Promise<readonly Row[]> {
    const place = '(SELECT key FROM json_each(?5) WHERE value = number)';
    const order = count === 1 ? `${place}, rank, number` : 'number';
    const where = `state IN ('queued', 'lost') AND ${DUE} <= ?3 ORDER BY ${order} LIMIT ?4`;
    const numbers = count === 1 ? [JSON.stringify(failed)] : [];
    return this.#find(where, sink, this.#nowMs, count, ...numbers);
  }

  /** All that wait for a summary: the errors, or the others. */
  async held(sink: string, areErrors: boolean): Promise<readonly Row[]> {
    const where = "state = 'held' AND (rank = 0) = ?3 ORDER BY number";
    return this.#find(where, sink, Number(areErrors));
  }

  /** Those that are due although the person has not seen them. */
  async unseen(sink: string): Promise<readonly Row[]> {
    return this.#find(`state = 'unseen' AND ${DUE} <= ?3 ORDER BY number`, sink, this.#nowMs);
  }

  move(rows: readonly Row[], state: 'queued' | 'held'): void {
    this.#change(`state = ?, due = 0 WHERE number ${IN}`, state, numbersOf(rows));
  }

  /** The sink has these, or needs them no more. */
  delete(rows: readonly Row[]): void {
    this.#run(`DELETE FROM deliveries WHERE number ${IN} AND owner = ?`, numbersOf(rows));
  }

  /** The person has seen it: no further sink gets it. */
  seen(id: string): void {
    this.#run("DELETE FROM deliveries WHERE state = 'unseen' AND id = ? AND owner = ?", id);
  }

  /** What is held does not wait for its time. @param areAll false: only the errors */
  hurry(sink: string, areAll: boolean): void {
    this.#change(
      "due = 0 WHERE state = 'held' AND rank <= ? AND sink = ?",
      areAll ? severity('error') : 0,
      sink,
    );
  }

  /** The receiver works, so these were refused alone: it counts, and from the second time on each waits. */
  countFailure(numbers: readonly number[]): void {
    const due = `iif(attempts = 0, 0, ? + min(${MAX_PAUSE_MS}, 1000 << attempts))`;
    const where = `state <> 'lost' AND number ${IN}`;
    this.#change(
      `due = ${due}, attempts = attempts + 1 WHERE ${where}`,
      this.#nowMs,
      JSON.stringify(numbers),
    );
  }

  /** This sink could not deliver these: the next one of the rule gets them now, each further one as long after it. */
  passOn(sink: string, ids: readonly string[]): void {
    const nowMs = this.#nowMs;
    const next = `SELECT id AS passed, due - ? AS early FROM deliveries
      WHERE owner = ? AND after = ? AND state = 'unseen' AND due > ? AND id ${IN}`;
    const set = `due = due - early FROM (${next}) WHERE state = 'unseen' AND id = passed`;
    this.#change(set, nowMs, this.#owner.id, sink, nowMs, JSON.stringify(ids));
  }

  /** These are deleted and counted, until a notice says it. */
  lose(sink: string, rows: readonly Row[], cause: string): void {
    const [first] = rows;
    if (first === undefined) return;
    const added = lossesOf(rows, cause);
    this.delete(rows);
    this.#write((connection) => {
      const values = { 1: this.#owner.id, 2: sink };
      const lost = `FROM deliveries WHERE ${OWN} AND state = 'lost'`;
      const known = connection.statement(`SELECT number, text ${lost}`).all(values);
      const all = known.map(({ text }): { losses: Losses } => JSON.parse(String(text)));
      const losses = mergedLosses([...all.map((each) => each.losses), added]);
      connection.statement(`DELETE ${lost}`).run(values);
      const nowMs = this.#nowMs;
      const row = [randomUUID(), sink, first.origin, null, 'lost', 0, nowMs, 0, totalOf(losses)];
      const text = JSON.stringify({ losses });
      connection.statement(INSERT).run(nowMs * NUMBERS_PER_MS, ...row, text, this.#owner.id, nowMs);
    });
  }

  /** The receiver refused the texts in a notice: the next one only counts. */
  shorten(rows: readonly Row[]): void {
    this.#change(`text = json_set(text, '$.losses.lines', json('[]')) WHERE number ${IN}`, numbersOf(rows));
  }

  /** Loses what is too old, then the oldest infos, then warnings, then errors, until the rest fits. */
  async shrink(sink: string): Promise<void> {
    const old = await this.#find(
      `state <> 'lost' AND ${AGED} < ?3 ORDER BY number`,
      sink,
      this.#nowMs - MAX_AGE_MS,
    );
    this.lose(sink, old, `it waited for ${MAX_AGE_DAYS} days`);
    const kept = `SELECT number, sum(octet_length(text)) OVER (ORDER BY rank, number DESC) AS bytes
      FROM deliveries WHERE ${OWN} AND state IN ('queued', 'held')`;
    const excess = `number IN (SELECT number FROM (${kept}) WHERE bytes > ?3) ORDER BY number`;
    this.lose(sink, await this.#find(excess, sink, MAX_BYTES), 'the queue was full');
  }

  /** How many notifications wait. */
  async count(): Promise<number> {
    const sql = "SELECT count(DISTINCT id) AS count FROM deliveries WHERE owner = ?1 AND state <> 'lost'";
    return Number((await this.#all(sql))[0]?.['count']);
  }

  /** What processes that have ended did not deliver. */
  async free(): Promise<readonly FreeRows[]> {
    const owners = JSON.stringify(await this.#ended());
    const where = 'owner <> ?1 AND owner IN (SELECT value FROM json_each(?2))';
    const found = await this.#all(`SELECT DISTINCT sink, origin FROM deliveries WHERE ${where}`, owners);
    return found.map(({ sink, origin }) => ({
      owners,
      sink: String(sink),
      origin: typeof origin === 'string' ? origin : null,
    }));
  }

  /** Takes what is free, unless another process was faster. What it has tried is tried again. */
  take(free: FreeRows, sink: string, origin: string | null): void {
    const set = "owner = ?, leased = ?, sink = ?, origin = ?, due = iif(state = 'queued', 0, due)";
    this.#write((connection) => {
      const values = [this.#owner.id, this.#nowMs, sink, origin, free.owners, free.sink, free.origin];
      connection.statement(`UPDATE deliveries SET ${set} WHERE ${IS_FREE}`).run(...values);
    });
  }

  /** Deletes what is free. @returns how many notifications it were */
  drop({ owners, sink, origin }: FreeRows): Promise<number> {
    return this.#remove(IS_FREE, owners, sink, origin);
  }

  /** Deletes what is too old, of processes that have ended. @returns how many notifications it were */
  async dropOld(): Promise<number> {
    const owners = JSON.stringify(await this.#ended());
    return this.#remove(`${AGED} < ? AND owner ${IN}`, this.#nowMs - MAX_AGE_MS, owners);
  }

  /** This process lives. */
  renew(): void {
    this.#change('leased = ? WHERE TRUE', this.#nowMs);
  }

  /** Leaves what waits for other sinks than these to other processes. */
  release(kept: readonly string[] = []): void {
    this.#change(`owner = ? WHERE sink NOT ${IN}`, NOBODY, JSON.stringify(kept));
  }

  /** @param prefix of the key of a sink that no other process has */
  forget(prefix: string): void {
    this.#run('DELETE FROM deliveries WHERE sink GLOB ? AND owner = ?', `${prefix}*`);
  }

  get #nowMs(): number {
    return this.#clock.now().getTime();
  }

  /** The owners that have ended. */
  async #ended(): Promise<readonly string[]> {
    const sql = 'SELECT owner, max(leased) AS leased FROM deliveries WHERE owner <> ?1 GROUP BY owner';
    return (await this.#all(sql)).flatMap(({ owner, leased }) => {
      const id = String(owner);
      return id === NOBODY || this.#owner.hasEnded(id, new Date(Number(leased)), LEASE_MS) ? [id] : [];
    });
  }

  async #remove(where: string, ...values: readonly SQLInputValue[]): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<number>();
    const select = `SELECT total(iif(state = 'lost', attempts, 1)) AS count FROM deliveries WHERE ${where}`;
    let count = 0;
    const run = (connection: Connection) => {
      count = Number(connection.statement(select).get(...values)?.['count']);
      if (count > 0) connection.statement(`DELETE FROM deliveries WHERE ${where}`).run(...values);
    };
    this.#database.write({ run, done: () => resolve(count), lost: () => resolve(0) }, true);
    return promise;
  }

  /** @param set assignments and a condition */
  #change(set: string, ...values: readonly SQLInputValue[]): void {
    this.#run(`UPDATE deliveries SET ${set} AND owner = ?`, ...values);
  }

  #run(sql: string, ...values: readonly SQLInputValue[]): void {
    this.#write((connection) => void connection.statement(sql).run(...values, this.#owner.id));
  }

  #write(run: (connection: Connection) => void): void {
    this.#unstored += 1;
    const ended = () => void (this.#unstored -= 1);
    this.#database.write({ run, done: ended, lost: ended });
  }

  async #find(where: string, sink: string, ...values: readonly SQLInputValue[]): Promise<readonly Row[]> {
    const sql = `SELECT number, ${COLUMNS.join(', ')} FROM deliveries WHERE ${OWN} AND ${where}`;
    return (await this.#all(sql, sink, ...values)).filter(isRow).map(withContent);
  }

  /** @param sql `?1` is the owner, `?2` the first value. Node.js 22 binds these only by name */
  async #all(sql: string, ...values: readonly SQLInputValue[]): Promise<readonly StoredRow[]> {
    const named = Object.fromEntries([this.#owner.id, ...values].map((value, index) => [index + 1, value]));
    // Without what waits for another process to be written, it would be delivered twice.
    await this.stored();
    return this.#database.read((connection) => connection.statement(sql).all(named));
  }
}

type StoredRow = Readonly<Record<string, SQLOutputValue>>;

/** Only this program writes the rows, so their parts are not checked. */
function isRow(row: StoredRow): row is StoredRow & Row {
  return row['number'] !== undefined;
}

function withContent(row: StoredRow & Row): Row {
  const { losses, isRepeat = false, notification } = JSON.parse(String(row['text']));
  return { ...row, isRepeat, notification: losses === undefined ? notification : noticeOf(losses, row) };
}

/** JSON. */
function numbersOf(rows: readonly Row[]): string {
  return JSON.stringify(rows.map(({ number }) => number));
}
