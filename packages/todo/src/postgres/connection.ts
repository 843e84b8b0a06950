import { errnoOf, messageOf, UserError } from '@deskside/core/errors';
import { Client, type ClientConfig, DatabaseError, Pool, type PoolClient, TypeOverrides, types } from 'pg';
import { hostsOf, withoutPassword } from '../store/database-path.ts';
import { DISK_IS_FULL, StoreBusy, StoreUnavailable } from '../store/task-store.ts';

/** One deadline for a whole call: its turn, a connection, locks, and the answer. */
export const DEFAULT_WAIT_MS = 5000;

const DEFAULT_CONNECTIONS = 10;

/** Numbers of 64 bits are texts for pg. All that the tables have are exact in JavaScript, too. */
const numbers = new TypeOverrides();
numbers.setTypeParser(types.builtins.INT8, Number);

/** A pool that survives lost connections: pg ends the process for each one that no listener handles. */
export function openPool(url: string, max: number = DEFAULT_CONNECTIONS): Pool {
  const pool = new Pool({
    ...connectionSettings(url),
    max,
    // A pooler accepts connections when it has none of the database left: it answers before a change is sent.
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it
    onConnect: (client) => before(performance.now() + DEFAULT_WAIT_MS, client.query(''), silent),
  });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** @param url `postgres://…` */
function connectionSettings(url: string): ClientConfig {
  return {
    connectionString: url,
    // The default is to wait for ever.
    connectionTimeoutMillis: DEFAULT_WAIT_MS,
    fallback_application_name: 'deskside-todo',
    types: numbers,
  };
}

export const silent = (): Error => new StoreUnavailable('The task database does not answer');

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

/** How long one of several hosts may take until the next one is asked. */
const PROBE_MS = 1500;

/**
 * Which host of a URL has the database that can be changed, if it names several.
 *
 * @returns the URL of this host
 * @throws StoreUnavailable with the reason of the last one
 */
export async function currentHost(url: string): Promise<string> {
  const hosts = hostsOf(url);
  let failure: unknown;
  for (const host of hosts) {
    if (hosts.length === 1) return host;
    try {
      const probing = withClient(host, onlyReads, PROBE_MS);
      if (!(await before(performance.now() + PROBE_MS, probing, silent))) return host;
      failure ??= new StoreUnavailable(`${withoutPassword(host)} only reads`);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** Whether a database is a replica, or has a setting that refuses changes. */
export async function onlyReads(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ reads: boolean }>(
    "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean AS reads",
  );
  return rows[0]?.reads ?? false;
}

const DISK_FULL_STATE = '53100';

/** Lock and statement timeouts, deadlocks, too many connections. */
const BUSY_STATES = /^(?:55P03|57014|40P01|40001|53300)$/;

/** Connections, authentication, missing rights and tables, read-only servers, full disks, shutdowns, damage. */
const UNAVAILABLE_STATES = /^(?:08|0A|25006|25P03|25P04|28|3D|3F|42501|42P01|53|54|57P|58|F0|XX)/;

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
export function isBroken(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return BROKEN_STATES.test(state);
  // pg gives these errors no code.
  const isConnection = /connection|timeout|not queryable|closed|from backend/i.test(messageOf(error));
  return isConnection || errnoOf(error) !== undefined;
}

/** The code of an error that the server sent. Codes of the system can look like one: EPIPE. */
function sqlState(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}

/** What to change, by the code of Node.js or the message of PostgreSQL or PgBouncer. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /SELF_SIGNED_CERT|UNABLE_TO_(?:VERIFY_LEAF|GET_ISSUER)/,
    'add sslrootcert=/path/ca.pem, the certificate of the authority, to the URL of the database',
  ],
  [/ALTNAME_INVALID/, 'use a name of the certificate as the host in the URL of the database'],
  [/no encryption$/, 'add ?sslmode=verify-full&sslrootcert=/path/ca.pem to the URL of the database'],
  [/^42(?:703|P07)$/, 'its schema deskside_todo has tables of another program, so use another database'],
  [/statement pooling mode$/, 'set pool_mode = transaction or session for this database in pgbouncer.ini'],
  [
    /^(?:permission denied|must be owner)/,
    'run `deskside-todo migrate` with the URL of the owner of the tables in TODO_MIGRATION_URL',
  ],
];

/** Node reports a name with several addresses, of which none answers, without a message. */
function reasonOf(error: unknown): string {
  const code = errnoOf(error) ?? '';
  const message = messageOf(error) || code || 'unknown error';
  const [, advice] = ADVICE.find(([sign]) => sign.test(code) || sign.test(message)) ?? [];
  if (advice === undefined) return message;
  // Node.js adds its own advice after a semicolon, which does not help here.
  return `${message.replace(/;.*/s, '')}: ${advice}`;
}

/** A limit of the role is for others: a call has its deadline, and a migration takes its time. */
export const WITHOUT_ROLE_LIMIT = 'SET LOCAL statement_timeout = 0';

/**
 * Connects to the database of a URL for some work.
 *
 * @param timeoutMs of each statement, in a transaction that only reads. Default: none, for a migration.
 */
export async function withClient<T>(
  url: string,
  work: (client: Client) => Promise<T>,
  timeoutMs?: number,
): Promise<T> {
  const client = new Client({ ...connectionSettings(await currentHost(url)), query_timeout: timeoutMs });
  client.on('error', () => undefined);
  try {
    await client.connect().catch((error: unknown) => {
      throw toConnectError(error);
    });
    // Calls need transactions, too: a pooler that forbids them is found here.
    if (timeoutMs !== undefined) await client.query(`BEGIN READ ONLY; ${WITHOUT_ROLE_LIMIT}`);
    return await work(client);
  } finally {
    // The connection has ended, or the error of the work says why it cannot.
    await client.end().catch(() => undefined);
  }
}
