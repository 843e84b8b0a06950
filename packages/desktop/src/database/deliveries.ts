import { join } from 'node:path';
import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { type Clock, systemClock } from '@deskside/core/base';
import { hasEnded, thisOwner } from '../files/owner.ts';
import type { Connection } from './connection.ts';
import { DeskDatabase } from './desk-database.ts';
import { deskPlaces } from './places.ts';

const TEXTS = ['id', 'sink', 'state', 'text'] as const;
const MAYBE_TEXTS = ['origin', 'after'] as const;
const NUMBERS = ['rank', 'time', 'due', 'attempts'] as const;
const COLUMNS = [...TEXTS, ...MAYBE_TEXTS, ...NUMBERS] as const;

/** What a sink still has to do with a notification. The columns are explained in drizzle/schema.ts. */
export type Delivery = Readonly<
  Record<(typeof TEXTS)[number], string> &
    Record<(typeof MAYBE_TEXTS)[number], string | null> &
    Record<'number' | (typeof NUMBERS)[number], number>
>;

export type NewDelivery = Omit<Delivery, 'number'>;

type DatabaseRow = Readonly<Record<string, SQLOutputValue>>;

/** Rows of ended processes, for one sink. */
export interface FreeDeliveries {
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

/** An owner on another machine or in another container says each minute that it lives. */
const LEASE_MS = 600_000;
const NOBODY = '';

/** A number is of its time, so that no other place has it: what is taken over keeps it. */
const NUMBERS_PER_MS = 1000;
const INSERT = `INSERT INTO deliveries (number, ${COLUMNS.join(', ')}, owner, leased)
  VALUES (max((SELECT coalesce(max(number), 0) + 1 FROM deliveries), ?), ${COLUMNS.map(() => '?').join(', ')}, ?, ?)`;
const IN = 'IN (SELECT value FROM json_each(?))';
const IS_FREE = `owner ${IN} AND sink = ? AND origin IS ?`;

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
 * knows all that this process has written, or is undefined: then it is to be tried again soon. A condition is SQL, in
 * which the first value of a read is `?2`.
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
        connection.statement(`DELETE FROM deliveries WHERE number ${IN}`).run(JSON.stringify(deleted));
      }
      for (const row of added) {
        const values = COLUMNS.map((column) => row[column]);
        const nowMs = this.#clock.now().getTime();
        connection.statement(INSERT).run(nowMs * NUMBERS_PER_MS, ...values, this.#owner.id, nowMs);
      }
    });
  }

  /** @param set assignments, with the first of the values */
  update(set: string, where: string, ...values: readonly SQLInputValue[]): void {
    const sql = `UPDATE deliveries SET ${set} WHERE ${where} AND owner = ?`;
    this.#write((connection) => void connection.statement(sql).run(...values, this.#owner.id));
  }

  delete(where: string, ...values: readonly SQLInputValue[]): void {
    const sql = `DELETE FROM deliveries WHERE ${where} AND owner = ?`;
    this.#write((connection) => void connection.statement(sql).run(...values, this.#owner.id));
  }

  /** Resolves when everything that was written is stored, or given up. */
  stored(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#database.write({ run: () => undefined, done: resolve, lost: resolve }, true);
    return promise;
  }

  find(where: string, ...values: readonly SQLInputValue[]): readonly Delivery[] | undefined {
    return this.select(`number, ${COLUMNS.join(', ')}`, where, ...values)?.filter(isDelivery);
  }

  select(
    columns: string,
    where: string,
    ...values: readonly SQLInputValue[]
  ): readonly DatabaseRow[] | undefined {
    const sql = `SELECT ${columns} FROM deliveries WHERE owner = ?1 AND ${where}`;
    return this.#rows(sql, this.#owner.id, ...values);
  }

  /**
   * What processes that have ended did not deliver.
   *
   * @param isAwake false just after a sleep: all leases are old
   */
  free(isAwake: boolean): readonly FreeDeliveries[] | undefined {
    const sql = 'SELECT owner, max(leased) AS leased FROM deliveries WHERE owner <> ? GROUP BY owner';
    const ended = this.#rows(sql, this.#owner.id)?.flatMap((row) => {
      const [owner, since] = [String(row['owner']), new Date(Number(row['leased']))];
      const isFree = owner === NOBODY || this.#owner.hasEnded(owner, since, isAwake ? LEASE_MS : Infinity);
      return isFree ? [owner] : [];
    });
    if (ended === undefined || ended.length === 0) return ended && [];
    const owners = JSON.stringify(ended);
    const found = `SELECT DISTINCT sink, origin FROM deliveries WHERE owner ${IN}`;
    return this.#rows(found, owners)?.map(({ sink, origin }) => ({
      owners,
      sink: String(sink),
      origin: textOf(origin),
    }));
  }

  /**
   * Takes what is free, unless another process was faster.
   *
   * @param set assignments, with the values
   */
  take({ owners, sink, origin }: FreeDeliveries, set: string, ...values: readonly SQLInputValue[]): void {
    const sql = `UPDATE deliveries SET owner = ?, leased = ?, ${set} WHERE ${IS_FREE}`;
    this.#write((connection) => {
      const nowMs = this.#clock.now().getTime();
      connection.statement(sql).run(this.#owner.id, nowMs, ...values, owners, sink, origin);
    });
  }

  /** Deletes what is free and was accepted before this time. @param dropped learns how many notifications it were */
  drop({ owners, sink, origin }: FreeDeliveries, before: number, dropped: (count: number) => void): void {
    const where = `${IS_FREE} AND time < ?`;
    const values = [owners, sink, origin, before];
    let count = 0;
    const run = (connection: Connection) => {
      const sql = `SELECT total(iif(state = 'lost', attempts, 1)) AS count FROM deliveries WHERE ${where}`;
      count = Number(connection.statement(sql).get(...values)?.['count']);
      connection.statement(`DELETE FROM deliveries WHERE ${where}`).run(...values);
    };
    this.#write(run, () => dropped(count));
  }

  /** This process lives. */
  renew(): void {
    this.update('leased = ?', 'TRUE', this.#clock.now().getTime());
  }

  /** Leaves what waits to other processes. */
  release(where = 'TRUE', ...values: readonly SQLInputValue[]): void {
    this.update('owner = ?', where, NOBODY, ...values);
  }

  /** @param stored is called at once, if no other process writes now */
  #write(run: (connection: Connection) => void, stored?: () => void): void {
    this.#unstored += 1;
    const lost = () => void (this.#unstored -= 1);
    const done = () => {
      lost();
      stored?.();
    };
    this.#database.write({ run, lost, done }, stored !== undefined);
  }

  #rows(sql: string, ...values: readonly SQLInputValue[]): DatabaseRow[] | undefined {
    return this.#database.tryRead((connection) => {
      // Without what waits for another process to be written, it would be delivered twice.
      return this.#unstored === 0 ? connection.statement(sql).all(...values) : undefined;
    })?.value;
  }
}

/** Only this program writes them. */
function isDelivery(row: DatabaseRow): row is DatabaseRow & Delivery {
  return row['number'] !== undefined;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
