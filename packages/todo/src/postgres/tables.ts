import type { Client } from 'pg';
import { createTables } from '../store/tables.ts';
import { StoreUnavailable } from '../store/task-store.ts';
import { toStoreError, withClient } from './connection.ts';

/** Everything is in one schema, so that the database may contain other things too. */
export const SCHEMA = 'deskside_todo';

/** The version of the tables that this program creates. */
const SCHEMA_VERSION = 1;

/**
 * The oldest version of the program's tables whose program can work with these. A later version raises it if it does more than add, so
 * that old and new servers run at the same time.
 */
const MINIMUM_READER = 1;

/** Settings of a transaction that the row level security compares with. */
export const SETTINGS = {
  user: 'deskside.user_id',
  actor: 'deskside.actor',
  /** Set: only what can't be restored or replayed any more is visible, of all users. */
  purge: 'deskside.purge',
} as const;

const isSetting = (column: string, setting: string) => `${column} = current_setting('${setting}', true)`;

/** A transaction sees only the rows of the user that it names, also as the owner of the tables. It only adds to the audit. */
function ownRows(table: string, columns: readonly string[], commands: readonly string[] = ['ALL']): string {
  const own = columns.map((column) => isSetting(column, column === 'actor' ? SETTINGS.actor : SETTINGS.user));
  const policies = commands.map((command) => {
    const check = command === 'INSERT' ? 'WITH CHECK' : 'USING';
    return `CREATE POLICY own_${command} ON ${table} FOR ${command} ${check} (${own.join(' OR ')});`;
  });
  return `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;${policies.join('')}`;
}

const expired = (table: string, column: string, age: string) => `
CREATE POLICY expired ON ${table} USING (current_setting('${SETTINGS.purge}', true) = 'on'
  AND ${column} < extract(epoch FROM now() - interval '${age}') * 1000);`;

const TABLES = [
  createTables({
    integer: 'bigint',
    // It orders as SQLite does.
    text: 'text COLLATE "C"',
    counter: 'bigserial PRIMARY KEY',
    isDate: (column) => `${column} ~ '^[0-9]{4}-[0-1][0-9]-[0-3][0-9]$'`,
    isList: (column) => `jsonb_typeof(${column}::jsonb) = 'array'`,
    end: '',
  }),
  ownRows('users', ['id']),
  ownRows('tasks', ['user_id']),
  ownRows('idempotency_keys', ['user_id']),
  ownRows('call_counts', ['actor']),
  ownRows('audit', ['actor', '"user"'], ['SELECT', 'INSERT']),
  expired('tasks', 'deleted_at', '30 days'),
  expired('idempotency_keys', 'created_at', '24 hours'),
  'CREATE TABLE versions (version bigint PRIMARY KEY, minimum_reader bigint NOT NULL);',
  `INSERT INTO versions VALUES (${SCHEMA_VERSION}, ${MINIMUM_READER});`,
].join('\n');

/** Two numbers, because other programs in the same database may use advisory locks too: 'DSKT' in ASCII, and this lock. */
const LOCK = [0x44_53_4b_54, 1] as const;

type Queryable = Pick<Client, 'query'>;

/**
 * Returns the version of the tables, 0 if there are none. It can be newer than this program. Changes nothing.
 *
 * @throws StoreUnavailable for a database that this program is too old for
 */
export async function schemaVersion(client: Queryable): Promise<number> {
  // Not to_regclass: a connection that waits for another one remembers that there was no table.
  const table = `SELECT FROM pg_tables WHERE schemaname = '${SCHEMA}' AND tablename = 'versions'`;
  if ((await client.query(table)).rowCount === 0) return 0;
  const { rows } = await client.query<{ version: number; reader: number }>(
    `SELECT max(version) AS version, max(minimum_reader) AS reader FROM ${SCHEMA}.versions`,
  );
  const { version = 0, reader = 0 } = rows[0] ?? {};
  if (reader <= SCHEMA_VERSION) return version;
  throw new StoreUnavailable(
    `The database has schema version ${version}, this program knows ${SCHEMA_VERSION}: upgrade @deskside/todo`,
  );
}

/** Creates the tables completely or not at all. Safe to run in many processes at once. @param client outside a transaction */
export async function createSchema(client: Client): Promise<void> {
  await client.query('BEGIN');
  try {
    // The lock ends with the transaction, also behind a pooler that gives each transaction another connection.
    await client.query('SELECT pg_advisory_xact_lock($1, $2)', [...LOCK]);
    if ((await schemaVersion(client)) === 0) {
      await checkEncoding(client);
      await client.query(
        `CREATE SCHEMA IF NOT EXISTS ${SCHEMA}; SET LOCAL search_path = ${SCHEMA}; ${TABLES}`,
      );
    }
    await client.query('COMMIT');
  } catch (error) {
    // Fails if the connection is broken; then the server rolls back.
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** A search needs the order of Unicode, and a text can have each of its characters. */
async function checkEncoding(client: Queryable): Promise<void> {
  const { rows } = await client.query<{ server_encoding: string }>('SHOW server_encoding');
  const encoding = rows[0]?.server_encoding;
  if (encoding === 'UTF8') return;
  throw new StoreUnavailable(
    `The database has the encoding ${encoding}: create it with ENCODING 'UTF8' TEMPLATE template0`,
  );
}

/**
 * Checks the database before the first call, and creates the tables.
 *
 * @returns problems that do not prevent work
 * @throws StoreBusy or StoreUnavailable
 */
export async function prepareDatabase(url: string): Promise<readonly string[]> {
  try {
    return await withClient(url, async (client) => {
      if ((await schemaVersion(client)) === 0) await createSchema(client);
      const { problem } = await readRole(client);
      return problem === undefined ? [] : [problem];
    });
  } catch (error) {
    const failure = toStoreError(error);
    if (!(failure instanceof StoreUnavailable) || !/permission denied/.test(failure.reason)) throw failure;
    const advice = `the role must own the schema ${SCHEMA}, or may create it: GRANT CREATE ON DATABASE`;
    throw new StoreUnavailable(`${failure.reason}: ${advice}`, { cause: error });
  }
}

/** The role of a connection. */
export interface Role {
  readonly name: string;
  /** Set if row level security does not apply to it: a superuser, or a role with BYPASSRLS. */
  readonly problem: string | undefined;
}

export async function readRole(client: Queryable): Promise<Role> {
  const { rows } = await client.query<{ name: string; bypasses: boolean }>(
    'SELECT rolname AS name, rolsuper OR rolbypassrls AS bypasses FROM pg_roles WHERE rolname = current_user',
  );
  const [{ name, bypasses } = { name: 'unknown', bypasses: true }] = rows;
  const problem = `The database role ${name} bypasses row level security: only the program's own conditions separate the users`;
  return { name, problem: bypasses ? problem : undefined };
}
