import { errnoOf, messageOf } from '@deskside/core/errors';
import { sql } from 'drizzle-orm';
import type { Pool, PoolClient, QueryArrayResult } from 'pg';
import { type Dialect, type Flight, type Query, storable, type Value } from '../store/statements.ts';
import { OutcomeUnknown, StoreBusy, StoreUnavailable } from '../store/task-store.ts';
import type { Caller, Work } from '../store/waiting-calls.ts';
import { before, connect, isBroken, silent, toStoreError } from './connection.ts';
import { SCHEMA, SETTINGS } from './migrate.ts';

const postgresDialect: Dialect = {
  now: sql`CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)`,
  each: (json) => sql`jsonb_array_elements(CAST(${json} AS jsonb)) AS item (value)`,
  forUpdate: sql` FOR NO KEY UPDATE`,
  skipLocked: sql` FOR NO KEY UPDATE SKIP LOCKED`,
  lockTokens: sql`LOCK TABLE tokens IN SHARE ROW EXCLUSIVE MODE`,
  actAs: sql`SELECT set_config('${sql.raw(SETTINGS.actor)}', ${sql.placeholder('actor')}, true)`,
};

/** The database gives up so much earlier than the program, and says that nothing was changed. */
const MARGIN_MS = 500;

export interface Call<T> {
  readonly caller: Caller;
  readonly work: Work<T>;
  /** Whether it changes something: if the connection breaks at its end, it may have. */
  readonly isChange: boolean;
  readonly isPurge?: boolean;
  /** On the clock `performance.now()`. */
  readonly deadlineMs: number;
}

/**
 * Runs an operation in one transaction. Statements that do not need each other's answers are one message, so one round trip, without
 * prepared statements: a pooler that gives each transaction another connection knows none.
 *
 * @throws StoreBusy or StoreUnavailable if nothing was changed, OutcomeUnknown if the connection broke or did not answer
 */
export async function runTransaction<T>(pool: Pool, call: Call<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const client = await connect(pool, call.deadlineMs);
    const transaction = new Transaction(client, call);
    try {
      call.caller.signal?.throwIfAborted();
      const operation = call.work();
      let step = operation.next();
      while (step.done !== true) step = operation.next(await transaction.send(step.value));
      transaction.end();
      return step.value;
    } catch (error) {
      const isLost = error instanceof StoreUnavailable || isBroken(error);
      transaction.end(isLost);
      if (call.caller.signal?.aborted === true && error === call.caller.signal.reason) throw error;
      const wasSent = !NOT_SENT.test(`${errnoOf(error)} ${messageOf(error)}`);
      if (isLost && wasSent && transaction.mayBeDone) throw new OutcomeUnknown({ cause: error });
      // The connection was lost while nothing used it, for example in a restart of the server.
      if (attempt > 1 || !isBroken(error)) throw toStoreError(error);
    }
  }
}

/** Nothing was passed on: by pg after the end, after `idle_session_timeout`, by PgBouncer after a wait. */
const NOT_SENT = /^57P05|not queryable|query_wait_timeout/;

class Transaction {
  /** Whether the last statements of a change were sent. */
  mayBeDone = false;
  readonly #client: PoolClient;
  readonly #call: Call<unknown>;
  #isOpen = false;

  constructor(client: PoolClient, call: Call<unknown>) {
    this.#client = client;
    this.#call = call;
  }

  async send({ queries, isLast }: Flight): Promise<readonly (readonly unknown[][])[]> {
    const { isChange, deadlineMs } = this.#call;
    // Statements of one message are one transaction: without a second message it needs no other frame.
    const isWhole = isLast && !this.#isOpen;
    const begin = isWhole ? [] : [`BEGIN ISOLATION LEVEL READ COMMITTED${isChange ? '' : ' READ ONLY'}`];
    const start = this.#isOpen
      ? [settings({ statement_timeout: this.#leftMs() })]
      : [...begin, this.#settings(isWhole)];
    const end = isLast && !isWhole ? ['COMMIT'] : [];
    const sent = [...start, ...queries.map(textOf), ...end];
    this.#isOpen = !isWhole;
    this.mayBeDone = isLast && isChange;
    const query = this.#client.query({ text: sent.join(';\n'), rowMode: 'array' });
    // One result per statement.
    const results = [await before(deadlineMs, query, silent)].flat() as QueryArrayResult<unknown[]>[];
    this.#isOpen = !isLast;
    return queries.map((_, index) => results[start.length + index]?.rows ?? []);
  }

  /** Gives the connection back when it has no open transaction: its locks would stop the calls of this user. */
  end(isBroken = false): void {
    if (isBroken || !this.#isOpen) this.#client.release(isBroken);
    else {
      this.#client.query('ROLLBACK').then(
        () => this.#client.release(),
        () => this.#client.release(true),
      );
    }
  }

  /** The settings end with the transaction. A pooler accepts no other way to set them. */
  #settings(isWhole: boolean): string {
    const { caller, isPurge = false } = this.#call;
    const leftMs = this.#leftMs();
    return settings({
      [SETTINGS.user]: caller.user,
      [SETTINGS.actor]: caller.actor,
      ...(isPurge ? { [SETTINGS.purge]: 'on' } : {}),
      statement_timeout: leftMs,
      ...(isWhole ? {} : { idle_in_transaction_session_timeout: leftMs }),
      search_path: SCHEMA,
      // With many tasks PostgreSQL would compile the plan of each claim again, which takes longer than the claim.
      jit: 'off',
    });
  }

  #leftMs(): number {
    const leftMs = Math.floor(this.#call.deadlineMs - performance.now() - MARGIN_MS);
    if (leftMs <= 0) throw new StoreBusy();
    return leftMs;
  }
}

/** An answer without columns is the cheapest to read. */
function settings(values: Readonly<Record<string, Value>>): string {
  let calls = '';
  for (const [name, value] of Object.entries(values))
    calls += `${calls === '' ? '' : ', '}pg_catalog.set_config('${name}', ${literal(String(value))}, true)`;
  return `SELECT WHERE concat(${calls}) IS NULL`;
}

function textOf({ statement, values }: Query): string {
  const { texts, parameters } = statement.render(postgresDialect);
  return String.raw({ raw: texts }, ...parameters.map((name) => literal(values[name] ?? null)));
}

/** As `escapeLiteral` of pg, which appends each character to a string: 36 bytes of memory per character of a long import. */
export function literal(value: Value): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return value < 0 ? `(${value})` : String(value);
  // Most texts have none of these.
  if (!/[\0'\\\uD800-\uDFFF]/.test(value)) return `'${value}'`;
  const text = storable(value);
  return `${text.includes('\\') ? ' E' : ''}'${text.replaceAll(/['\\]/g, '$&$&')}'`;
}
