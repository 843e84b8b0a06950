import { join } from 'node:path';
import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { type Clock, systemClock } from '@deskside/core/base';
import { hasEnded, thisOwner } from '../files/owner.ts';
import type { Connection } from './connection.ts';
import { DeskDatabase } from './desk-database.ts';
import { deskPlaces } from './places.ts';

/** What a sink still has to do with a notification. The columns are explained in drizzle/schema.ts. */
export interface Delivery {
  readonly number: number;
  readonly id: string;
  readonly sink: string;
  readonly origin: string | null;
  readonly part: string | null;
  readonly after: string | null;
  readonly state: string;
  readonly rank: number;
  readonly level: number;
  readonly time: number;
  readonly due: number;
  readonly attempts: number;
  readonly text: string;
}

type DatabaseRow = Readonly<Record<string, SQLOutputValue>>;

export type NewDelivery = Omit<Delivery, 'number'>;

/** What of the rows that match is to be read. */
export interface DeliveryFilter {
  readonly sink?: string;
  readonly id?: string;
  readonly state?: string;
  readonly part?: string;
  readonly after?: string;
  readonly level?: number;
  /** Accepted before this time. */
  readonly before?: number;
  /** Its next attempt is due. */
  readonly dueAt?: number;
}

/** Rows of one state and rank that wait. */
export interface DeliveryCount {
  readonly state: string;
  readonly rank: number;
  readonly count: number;
  /** Time of the oldest one. */
  readonly oldest: number;
  /** The next attempt of any. */
  readonly due: number;
}

/** A process that delivers, as other processes know it. */
export interface DeliveryOwner {
  readonly id: string;
  /** @param since when it last said that it lives @param unknownMs how long one counts that nothing is known of */
  hasEnded(id: string, since: Date, unknownMs: number): boolean;
}

/** No attempt is later than this: the time of day may have been set back. */
const LONGEST_PAUSE_MS = 24 * 60 * 60_000;
/** An owner on another machine or in another container says each minute that it lives. */
const LEASE_MS = 600_000;
const NOBODY = '';

/** Parts of a rank. */
export const FAILED = 4;
export const BEHIND = 8;

const COLUMNS = [
  'id',
  'sink',
  'origin',
  'part',
  'after',
  'state',
  'rank',
  'level',
  'time',
  'due',
  'attempts',
  'text',
] as const satisfies readonly (keyof NewDelivery)[];

const LIST = COLUMNS.join(', ');
/** A number is of its time, so that no other place has it: what is taken over keeps it. */
const NUMBERS_PER_MS = 1000;
const INSERT = `INSERT INTO deliveries (number, ${LIST}, owner, leased)
  VALUES (max((SELECT coalesce(max(number), 0) + 1 FROM deliveries), ?), ${COLUMNS.map(() => '?').join(', ')}, ?, ?)`;
const IN_NUMBERS = 'number IN (SELECT value FROM json_each(?))';
const CONDITIONS: Readonly<Record<keyof DeliveryFilter, string>> = {
  sink: 'sink = ?',
  id: 'id = ?',
  state: 'state = ?',
  part: 'part = ?',
  after: 'after = ?',
  level: 'level = ?',
  before: 'time < ?',
  dueAt: `(due <= ?1 OR due > ?1 + ${LONGEST_PAUSE_MS})`,
};
const FILTERS = ['dueAt', 'sink', 'id', 'state', 'part', 'after', 'level', 'before'] as const;

let opened = 0;

/** This process; several that open deliveries in it are not one. */
function deliveryOwner(): DeliveryOwner {
  opened += 1;
  return {
    id: `${thisOwner()}/${opened}`,
    hasEnded: (id, since, unknownMs) => hasEnded(id.split('/')[0] ?? '', since, unknownMs),
  };
}

/**
 * The deliveries of this process.
 *
 * @param database undefined: that of this user; `unrecorded`: one that has nothing else, in the folder for what ends with
 * the login session. These two end with the deliveries.
 * @param report receives one sentence if it is not in its own place
 */
export function openDeliveries(
  database: DeskDatabase | 'unrecorded' | undefined,
  report: (sentence: string) => void,
): Deliveries {
  if (database instanceof DeskDatabase) return new Deliveries(database, systemClock);
  const log = { error: report, warn: report, info: () => undefined, debug: () => undefined };
  const { state, runtime } = deskPlaces();
  const [first, ...others] = runtime.map((folder) => join(folder, 'unrecorded'));
  const places = database === undefined ? { state, runtime } : { state: first, runtime: others };
  const own = new DeskDatabase({ places, log, clock: systemClock });
  return new Deliveries(own, systemClock, deliveryOwner(), own);
}

/**
 * The rows of one process in the table of deliveries. A write is stored with the next read, or with `stored`. A read
 * knows all that this process has written, or is undefined: then it is to be tried again soon.
 */
export class Deliveries implements AsyncDisposable {
  readonly #database: DeskDatabase;
  readonly #clock: Clock;
  readonly #owner: DeliveryOwner;
  readonly #ending: AsyncDisposable | undefined;
  #unstored = 0;

  /** @param ending ends with them */
  constructor(
    database: DeskDatabase,
    clock: Clock,
    owner: DeliveryOwner = deliveryOwner(),
    ending?: AsyncDisposable,
  ) {
    this.#database = database;
    this.#clock = clock;
    this.#owner = owner;
    this.#ending = ending;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#ending?.[Symbol.asyncDispose]();
  }

  /** False if no process has left anything. It creates no database. */
  get mayBeFree(): boolean {
    if (!this.#database.exists) return false;
    return this.#rows('SELECT 1 FROM deliveries LIMIT 1')?.length !== 0;
  }

  /** What waits is lost with this process: the database cannot be written. */
  get isTemporary(): boolean {
    return this.#database.isTemporary;
  }

  /** Deletes rows and adds others: both, or none if this process is killed. */
  replace(deleted: readonly number[], added: readonly NewDelivery[] = []): void {
    this.#write((connection) => {
      if (deleted.length > 0) {
        connection.statement(`DELETE FROM deliveries WHERE ${IN_NUMBERS}`).run(JSON.stringify(deleted));
      }
      for (const row of added) {
        const values = COLUMNS.map((column) => row[column]);
        const nowMs = this.#nowMs;
        connection.statement(INSERT).run(nowMs * NUMBERS_PER_MS, ...values, this.#owner.id, nowMs);
      }
    });
  }

  change(numbers: readonly number[], changed: Partial<NewDelivery>): void {
    if (numbers.length === 0) return;
    this.#update(changed, IN_NUMBERS, [JSON.stringify(numbers)]);
  }

  /** What has failed since the last success is as the others again. */
  forgive(sink: string): void {
    this.#write((connection) => {
      const sql = `UPDATE deliveries SET rank = rank & ~${FAILED} WHERE owner = ? AND sink = ? AND rank & ${FAILED}`;
      connection.statement(sql).run(this.#owner.id, sink);
    });
  }

  /** A sink has another key. */
  rename(from: string, to: string, origin: string | null): void {
    this.#update({ sink: to, origin }, 'owner = ? AND sink = ?', [this.#owner.id, from]);
    this.#update({ after: to }, 'owner = ? AND after = ?', [this.#owner.id, from]);
  }

  /** Resolves when everything that was written is stored, or given up. */
  stored(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#database.write({ run: () => undefined, done: resolve, lost: resolve }, true);
    return promise;
  }

  /** @param isRanked the rank decides before the order in which they came */
  find(filter: DeliveryFilter, limit = Infinity, isRanked = false): readonly Delivery[] | undefined {
    const order = isRanked ? 'rank, due, number' : 'number';
    // The time is the first value: its condition needs it twice.
    const names = FILTERS.filter((name) => filter[name] !== undefined);
    const where = [...names.map((name) => CONDITIONS[name]), 'owner = ?'].join(' AND ');
    const values = names.map((name) => filter[name] ?? null);
    const rows = Number.isFinite(limit) ? ` LIMIT ${limit}` : '';
    const sql = `SELECT number, ${LIST} FROM deliveries WHERE ${where} ORDER BY ${order}${rows}`;
    return this.#rows(sql, ...values, this.#owner.id)?.map(deliveryOf);
  }

  /** What a sink has. */
  counts(sink: string): readonly DeliveryCount[] | undefined {
    const sql = `SELECT state, rank, count(*) AS count, min(time) AS oldest, min(due) AS due FROM deliveries
      WHERE owner = ? AND sink = ? GROUP BY state, rank`;
    return this.#rows(sql, this.#owner.id, sink)?.map((row) => ({
      state: String(row['state']),
      rank: Number(row['rank']),
      count: Number(row['count']),
      oldest: Number(row['oldest']),
      due: Number(row['due']),
    }));
  }

  /** Of the texts of what waits at a sink. */
  bytes(sink: string): number {
    const sql = 'SELECT sum(octet_length(text)) AS bytes FROM deliveries WHERE owner = ? AND sink = ?';
    return Number(this.#rows(sql, this.#owner.id, sink)?.[0]?.['bytes'] ?? 0);
  }

  /** How many notifications wait. */
  notifications(): number {
    const sql = "SELECT count(DISTINCT id) AS count FROM deliveries WHERE owner = ? AND state <> 'lost'";
    return Number(this.#rows(sql, this.#owner.id)?.[0]?.['count'] ?? 0);
  }

  /**
   * What processes that have ended did not deliver.
   *
   * @param isAwake false just after a sleep: all leases are old
   * @param before what was accepted earlier is old
   */
  free(isAwake: boolean, before: number): readonly FreeDeliveries[] | undefined {
    const sql = 'SELECT owner, max(leased) AS leased FROM deliveries WHERE owner <> ? GROUP BY owner';
    const ended = this.#rows(sql, this.#owner.id)?.flatMap((row) => {
      const [owner, since] = [String(row['owner']), new Date(Number(row['leased']))];
      const isFree = owner === NOBODY || this.#owner.hasEnded(owner, since, isAwake ? LEASE_MS : Infinity);
      return isFree ? [owner] : [];
    });
    if (ended === undefined || ended.length === 0) return ended?.length === 0 ? [] : undefined;
    const owners = JSON.stringify(ended);
    const found = `SELECT sink, origin, sum(time < ?) AS old FROM deliveries
      WHERE owner IN (SELECT value FROM json_each(?)) GROUP BY sink, origin`;
    return this.#rows(found, before, owners)?.map(({ sink, origin, old }) => ({
      owners,
      sink: String(sink),
      origin: textOf(origin),
      old: Number(old),
    }));
  }

  /** Takes what is free, unless another process was faster. */
  take({ owners, sink, origin }: FreeDeliveries, to: string, ownOrigin: string | null): void {
    const where = 'owner IN (SELECT value FROM json_each(?)) AND sink = ? AND origin IS ?';
    const changed = { sink: to, origin: ownOrigin, owner: this.#owner.id, leased: this.#nowMs, due: 0 };
    this.#update({ after: to }, 'owner IN (SELECT value FROM json_each(?)) AND after = ?', [owners, sink]);
    this.#write((connection) => {
      const sql = `UPDATE deliveries SET rank = rank & ~${FAILED}, due = iif(state = 'unseen', due, ?), sink = ?,
        origin = ?, owner = ?, leased = ? WHERE ${where}`;
      const { due, owner, leased } = changed;
      connection.statement(sql).run(due, to, ownOrigin, owner, leased, owners, sink, origin);
    });
  }

  /** Deletes what is free and was accepted before this time. */
  drop({ owners, sink, origin }: FreeDeliveries, before: number): void {
    this.#write((connection) => {
      const sql = `DELETE FROM deliveries WHERE owner IN (SELECT value FROM json_each(?))
        AND sink = ? AND origin IS ? AND time < ?`;
      connection.statement(sql).run(owners, sink, origin, before);
    });
  }

  /** This process lives. */
  renew(): void {
    this.#update({ leased: this.#nowMs }, 'owner = ?', [this.#owner.id]);
  }

  /** Leaves what waits to other processes. */
  release(): void {
    this.#update({ owner: NOBODY }, 'owner = ?', [this.#owner.id]);
  }

  get #nowMs(): number {
    return this.#clock.now().getTime();
  }

  #update(
    changed: Partial<NewDelivery> & { readonly owner?: string; readonly leased?: number },
    where: string,
    values: readonly SQLInputValue[],
  ): void {
    const set = Object.keys(changed).map((column) => `${column} = ?`);
    this.#write((connection) => {
      const sql = `UPDATE deliveries SET ${set.join(', ')} WHERE ${where}`;
      connection.statement(sql).run(...Object.values(changed), ...values);
    });
  }

  #write(run: (connection: Connection) => void): void {
    this.#unstored += 1;
    const end = () => void (this.#unstored -= 1);
    this.#database.write({ run, done: end, lost: end });
  }

  #rows(sql: string, ...values: readonly SQLInputValue[]): DatabaseRow[] | undefined {
    return this.#database.tryRead((connection) => {
      // Without what waits for another process to be written, it would be delivered twice.
      return this.#unstored === 0 ? connection.statement(sql).all(...values) : undefined;
    })?.value;
  }
}

function deliveryOf(row: DatabaseRow): Delivery {
  return {
    number: Number(row['number']),
    id: String(row['id']),
    sink: String(row['sink']),
    origin: textOf(row['origin']),
    part: textOf(row['part']),
    after: textOf(row['after']),
    state: String(row['state']),
    rank: Number(row['rank']),
    level: Number(row['level']),
    time: Number(row['time']),
    due: Number(row['due']),
    attempts: Number(row['attempts']),
    text: String(row['text']),
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Rows of ended processes, for one sink. */
export interface FreeDeliveries {
  /** JSON: of the owners. */
  readonly owners: string;
  readonly sink: string;
  readonly origin: string | null;
  /** How many are old. */
  readonly old: number;
}
