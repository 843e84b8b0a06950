import { errnoOf, messageOf, UserError } from '@deskside/core/errors';
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import { type ClientConfig, DatabaseError, Pool, type PoolClient } from 'pg';
import { DISK_IS_FULL, OutcomeUnknown, StoreBusy, StoreUnavailable } from '../store/task-store.ts';
import { SETTINGS } from './schema.ts';

/** How long a call waits for its turn, for a connection, for a lock, and for one statement. */
export const DEFAULT_WAIT_MS = 5000;

/** A server that no longer answers: longer than any statement of a call may take. */
const RESPONSE_TIMEOUT_MS = 2 * DEFAULT_WAIT_MS;

const MAX_CONNECTIONS = 10;

/** `read` sees one snapshot and takes no locks. */
const BEGIN = {
  read: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  write: 'BEGIN',
};

/** Whose rows a transaction sees. */
export interface RowOwner {
  /** Owner of the tasks. */
  readonly user: string;
  /** Owner of audit rows and counters of refused calls. */
  readonly actor: string;
}

/** A pool that survives lost connections: pg ends the process for each one that no listener handles. */
export function openPool(url: string): Pool {
  const pool = new Pool({ ...connectionSettings(url), max: MAX_CONNECTIONS });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** @param url `postgres://…` */
export function connectionSettings(url: string): ClientConfig {
  return {
    connectionString: url,
    // The default is to wait for ever.
    connectionTimeoutMillis: DEFAULT_WAIT_MS,
    query_timeout: RESPONSE_TIMEOUT_MS,
    keepAlive: true,
    fallback_application_name: 'deskside-todo',
  };
}

export interface Transaction<T> {
  readonly mode: keyof typeof BEGIN;
  readonly owner: RowOwner;
  readonly waitMs: number;
  /** Rejects with the signal's reason until the transaction has begun. */
  readonly signal?: AbortSignal | undefined;
  readonly work: (database: NodePgDatabase) => Promise<T>;
}

/**
 * Runs work in one transaction that sees only the rows of its owner.
 *
 * @throws StoreBusy or StoreUnavailable if nothing was changed, OutcomeUnknown if the connection broke during the commit
 */
export async function transact<T>(pool: Pool, { work, ...start }: Transaction<T>): Promise<T> {
  const client = await begin(pool, start);
  let broken: Error | undefined;
  try {
    const result = await work(drizzle(client)).catch(async (error: unknown) => {
      broken = await rollBack(client, error);
      throw toStoreError(error);
    });
    await client.query('COMMIT').catch((error: unknown) => {
      broken = asError(error);
      throw start.mode === 'write' && isBroken(error)
        ? new OutcomeUnknown({ cause: error })
        : toStoreError(error);
    });
    return result;
  } finally {
    client.release(broken);
  }
}

/** Tries a second connection if the first one was lost while nothing used it, for example in a restart of the server. */
async function begin(pool: Pool, start: Omit<Transaction<never>, 'work'>): Promise<PoolClient> {
  const { signal } = start;
  for (let attempt = 1; ; attempt += 1) {
    signal?.throwIfAborted();
    const client = await connect(pool);
    try {
      signal?.throwIfAborted();
      await client.query(beginStatements(client, start));
      return client;
    } catch (error) {
      const isCancelled = signal?.aborted === true && error === signal.reason;
      client.release(isCancelled ? undefined : asError(error));
      if (isCancelled) throw error;
      if (attempt > 1 || !isBroken(error)) throw toStoreError(error);
    }
  }
}

/** @throws StoreBusy or StoreUnavailable */
export async function connect(pool: Pick<Pool, 'connect' | 'totalCount'>): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    const isExhausted = pool.totalCount >= MAX_CONNECTIONS && errnoOf(error) === undefined;
    throw isExhausted ? new StoreBusy({ cause: error }) : toConnectError(error);
  }
}

/** One round trip. The settings end with the transaction, so that no later user of the connection gets them. */
function beginStatements(
  client: PoolClient,
  { mode, owner: { user, actor }, waitMs }: Omit<Transaction<never>, 'work'>,
): string {
  const setting = (name: string, value: string) =>
    `set_config('${name}', ${client.escapeLiteral(storable(value))}, true)`;
  return [
    BEGIN[mode],
    `SET LOCAL lock_timeout = ${waitMs}`,
    `SET LOCAL statement_timeout = ${waitMs}`,
    `SELECT ${setting(SETTINGS.user, user)}, ${setting(SETTINGS.actor, actor)}`,
  ].join('; ');
}

/** PostgreSQL stores no U+0000. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD');
}

/** @returns why the connection cannot be used again */
async function rollBack(client: PoolClient, failure: unknown): Promise<Error | undefined> {
  if (isBroken(failure)) return asError(failure);
  try {
    await client.query('ROLLBACK');
    return undefined;
  } catch (error) {
    return asError(error);
  }
}

const DISK_FULL_STATE = '53100';

/** Lock and statement timeouts, deadlocks, too many connections. */
const BUSY_STATES = /^(?:55P03|57014|40P01|40001|53300)$/;

/** Connections, authentication, missing rights and tables, read-only servers, full disks, shutdowns, damage. */
const UNAVAILABLE_STATES = /^(?:08|0A|25006|25P03|25P04|28|3D|3F|42501|42P01|53|57P|58|F0|XX)/;

/**
 * Connections, sessions and transactions that the server ends, shutdowns and crashes, failures of the disk and of the
 * server itself. A commit that fails like this may have been made.
 */
const BROKEN_STATES = /^(?:08|25P03|25P04|57P|58|XX)/;

/** Turns errors of the connection and the server into StoreBusy or StoreUnavailable; returns defects unchanged. */
export function toStoreError(error: unknown): unknown {
  if (UserError.is(error)) return error;
  const state = sqlState(error);
  if (state !== undefined && BUSY_STATES.test(state)) return new StoreBusy({ cause: error });
  const isUnavailable = state === undefined ? isBroken(error) : UNAVAILABLE_STATES.test(state);
  return isUnavailable ? unavailable(error) : error;
}

/** Like `toStoreError`; without a connection, every other error is one of the settings or the server too. */
export function toConnectError(error: unknown): unknown {
  const failure = toStoreError(error);
  return UserError.is(failure) ? failure : unavailable(error);
}

function unavailable(error: unknown): StoreUnavailable {
  const options = { cause: error, ...(sqlState(error) === DISK_FULL_STATE ? { advice: DISK_IS_FULL } : {}) };
  return new StoreUnavailable(`The task database failed: ${reasonOf(error)}`, options);
}

/** Whether the connection cannot be used again. Most errors of the server leave it intact. */
function isBroken(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return BROKEN_STATES.test(state);
  const cause = rootOf(error);
  // pg gives these errors no code.
  const isConnection = /connection|timeout|not queryable|closed|from backend/i.test(messageOf(cause));
  return isConnection || errnoOf(cause) !== undefined;
}

/**
 * The code of an error that the server sent. Codes of the system can look like one: EPIPE.
 * See docs/decisions/0051.
 */
function sqlState(error: unknown): string | undefined {
  const root = rootOf(error);
  return root instanceof DatabaseError ? root.code : undefined;
}

/** drizzle wraps errors. */
function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? rootOf(error.cause) : error;
}

/** Node reports a name with several addresses, of which none answers, without a message. */
function reasonOf(error: unknown): string {
  const cause = rootOf(error);
  return messageOf(cause) || (errnoOf(cause) ?? 'unknown error');
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
