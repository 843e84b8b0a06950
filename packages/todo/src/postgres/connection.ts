import { errnoOf, messageOf, UserError } from '@deskside/core/errors';
import { type ClientConfig, DatabaseError, Pool, type PoolClient } from 'pg';
import { DISK_IS_FULL, OutcomeUnknown, StoreBusy, StoreUnavailable } from '../store/task-store.ts';
import { SCHEMA } from './schema.ts';

/** One deadline for a whole call: its turn, a connection, locks, and the answer. */
export const DEFAULT_WAIT_MS = 5000;

/** The database gives up so much earlier than the program, and says that nothing was changed. */
const MARGIN_MS = 500;

const DEFAULT_CONNECTIONS = 10;

/** A pool that survives lost connections: pg ends the process for each one that no listener handles. */
export function openPool(url: string, max: number = DEFAULT_CONNECTIONS): Pool {
  const pool = new Pool({ ...connectionSettings(url), max });
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
    keepAlive: true,
    // The default of systems is two hours: a listener sends nothing, and would not notice before that its connection is lost.
    keepAliveInitialDelayMillis: 30_000,
    fallback_application_name: 'deskside-todo',
  };
}

export interface FunctionCall {
  readonly name: string;
  /** Texts, and values that become JSON. */
  readonly args: readonly unknown[];
  /** Whether it changes tasks: if the connection breaks, it may have. */
  readonly isChange: boolean;
  /** On the clock `performance.now()`. */
  readonly deadlineMs: number;
  /** Rejects with its reason until the call is sent. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls a function of the schema: one round trip and one transaction.
 *
 * @throws StoreBusy or StoreUnavailable if nothing was changed, OutcomeUnknown if the connection broke or did not answer
 */
export async function callFunction<T>(pool: Pool, call: FunctionCall): Promise<T> {
  const { isChange, deadlineMs, signal } = call;
  for (let attempt = 1; ; attempt += 1) {
    const client = await connect(pool, deadlineMs);
    let broken: Error | undefined;
    try {
      signal?.throwIfAborted();
      const statement = statementOf(call);
      const answer = await before(deadlineMs, client.query<{ answer: T }>(statement), silent);
      // One result per statement.
      const results = Array.isArray(answer) ? answer : [answer];
      return results.at(-1).rows[0].answer;
    } catch (error) {
      if (signal?.aborted === true && error === signal.reason) throw error;
      if (error instanceof StoreUnavailable || isBroken(error)) broken = asError(error);
      const wasSent = !(error instanceof Error && NOT_SENT.test(error.message));
      if (isChange && broken !== undefined && wasSent) throw new OutcomeUnknown({ cause: error });
      // The connection was lost while nothing used it, for example in a restart of the server.
      if (attempt > 1 || !isBroken(error)) throw toStoreError(error);
    } finally {
      client.release(broken);
    }
  }
}

export function silent(): Error {
  return new StoreUnavailable('The task database does not answer');
}

/** pg refuses a query on a connection that has ended. */
const NOT_SENT = /not queryable/;

/** The settings end with the transaction, which is that of the query. A pooler accepts no other way to set them. */
function statementOf({ name, args, deadlineMs }: FunctionCall): string {
  const leftMs = Math.floor(deadlineMs - performance.now() - MARGIN_MS);
  if (leftMs <= 0) throw new StoreBusy();
  const values = args.map((value) =>
    typeof value === 'string' ? literal(storable(value)) : `${literal(toJson(value))}::jsonb`,
  );
  // With many tasks PostgreSQL would compile the plan of each claim again, which takes longer than the claim.
  return `SET LOCAL jit = off; SET LOCAL statement_timeout = ${leftMs}; SELECT ${SCHEMA}.${name}(${values.join(', ')}) AS answer`;
}

/** As `escapeLiteral` of pg, which appends each character to a string: 36 bytes of memory per character of a long import. */
export function literal(text: string): string {
  return `${text.includes('\\') ? ' E' : ''}'${text.replaceAll(/['\\]/g, '$&$&')}'`;
}

function toJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'string' ? storable(part) : part));
}

/** PostgreSQL stores neither U+0000 nor half of a surrogate pair. */
function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

/** @throws what `late` returns if the work takes longer */
export async function before<T>(deadlineMs: number, work: Promise<T>, late: () => Error): Promise<T> {
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), deadlineMs - performance.now());
  try {
    return await Promise.race([work, stopped]);
  } finally {
    clearTimeout(timer);
  }
}

/** @throws StoreBusy or StoreUnavailable */
export async function connect(
  pool: Pick<Pool, 'connect' | 'totalCount' | 'options'>,
  deadlineMs: number,
): Promise<PoolClient> {
  const connecting = pool.connect();
  try {
    return await before(deadlineMs, connecting, () => new Error('timeout exceeded when trying to connect'));
  } catch (error) {
    connecting.then(
      (client) => client.release(),
      () => undefined,
    );
    const isExhausted = pool.totalCount >= pool.options.max && errnoOf(error) === undefined;
    throw isExhausted ? new StoreBusy({ cause: error }) : toConnectError(error);
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
  // pg gives these errors no code.
  const isConnection = /connection|timeout|not queryable|closed|from backend/i.test(messageOf(error));
  return isConnection || errnoOf(error) !== undefined;
}

/**
 * The code of an error that the server sent. Codes of the system can look like one: EPIPE.
 * See docs/decisions/0051.
 */
function sqlState(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}

/** What to change in the URL of the database, by the code of Node.js or the message of PostgreSQL. */
const TLS_ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /SELF_SIGNED_CERT|UNABLE_TO_(?:VERIFY_LEAF|GET_ISSUER)/,
    'add sslrootcert=/path/ca.pem, the certificate of the authority, to the URL of the database',
  ],
  [/ALTNAME_INVALID/, 'use a name of the certificate as the host in the URL of the database'],
  [/no encryption$/, 'add ?sslmode=verify-full&sslrootcert=/path/ca.pem to the URL of the database'],
];

/** Node reports a name with several addresses, of which none answers, without a message. */
function reasonOf(error: unknown): string {
  const code = errnoOf(error) ?? '';
  const message = messageOf(error) || code || 'unknown error';
  const [, advice] = TLS_ADVICE.find(([sign]) => sign.test(code) || sign.test(message)) ?? [];
  if (advice === undefined) return message;
  // Node.js adds its own advice after a semicolon, which does not help here.
  return `${message.replace(/;.*/s, '')}: ${advice}`;
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
