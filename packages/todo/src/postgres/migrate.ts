import { type Client, DatabaseError } from 'pg';
import { createTables, type Migration } from '../store/tables.ts';
import { StoreUnavailable } from '../store/task-store.ts';
import {
  DEFAULT_WAIT_MS,
  toConnectError,
  toStoreError,
  withClient,
  WITHOUT_ROLE_LIMIT,
} from './connection.ts';

/** Everything is in one schema, so that the database may contain other things too. */
export const SCHEMA = 'deskside_todo';

/** Settings of a transaction that the row level security compares with. */
export const SETTINGS = {
  user: 'deskside.user_id',
  actor: 'deskside.actor',
  /** Set: only what can't be restored or replayed any more is visible, of all users. */
  purge: 'deskside.purge',
} as const;

const ACTOR = `current_setting('${SETTINGS.actor}', true)`;

/** A transaction sees only the rows of the user that it names, also as the owner of the tables. */
const OWN_ROWS = Object.entries({
  users: ['id'],
  tasks: ['user_id'],
  idempotency_keys: ['user_id'],
  call_counts: [],
  audit: ['"user"'],
}).map(([table, users]) => {
  const own = users.map((column) => `${column} = current_setting('${SETTINGS.user}', true)`);
  const ofActor = table === 'audit' || table === 'call_counts' ? [`actor = ${ACTOR}`] : [];
  return `
ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON ${table} USING (${[...ofActor, ...own].join(' OR ')});`;
});

const expired = (table: string, column: string, age: string) => `
CREATE POLICY expired ON ${table} USING (current_setting('${SETTINGS.purge}', true) = 'on'
  AND ${column} < extract(epoch FROM now() - interval '${age}') * 1000);`;

/** The first entry creates the present tables, each other one raises the schema by one version. The search path is the schema. */
export const migrations: readonly Migration[] = [
  {
    name: 'tasks',
    sql: [
      createTables({
        integer: 'bigint',
        // It orders as SQLite does.
        text: 'text COLLATE "C"',
        counter: 'bigserial PRIMARY KEY',
        isDate: (column) => `${column} ~ '^[0-9]{4}-[0-1][0-9]-[0-3][0-9]$'`,
        isList: (column) => `jsonb_typeof(${column}::jsonb) = 'array'`,
        end: '',
      }),
      ...OWN_ROWS,
      expired('tasks', 'deleted_at', '30 days'),
      expired('idempotency_keys', 'created_at', '24 hours'),
    ].join(''),
  },
];

/** A role may own the schema without the right to create schemas, so `IF NOT EXISTS` is not enough. */
const CREATE_SCHEMA = `DO $$ BEGIN
  IF to_regnamespace('${SCHEMA}') IS NULL THEN CREATE SCHEMA ${SCHEMA}; END IF;
  IF to_regclass('${SCHEMA}.migrations') IS NULL THEN
    CREATE TABLE ${SCHEMA}.migrations (
      version bigint PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now(),
      minimum_reader bigint NOT NULL
    );
  END IF;
END $$`;

/** Two numbers, because other programs in the same database may use advisory locks too: 'DSKT' in ASCII, and this lock. */
const MIGRATION_LOCK = [0x44_53_4b_54, 1] as const;

/**
 * The schema version that the oldest program which can work with the newest tables creates. Raise it with a migration that such
 * a program does not survive; one that only adds leaves it, so that old and new servers run at the same time.
 */
const MINIMUM_READER = 1;

/**
 * Returns the schema version of the database, 0 if it has no task tables. It can be newer than this program. Changes nothing.
 *
 * @param newest the highest version that this program knows
 * @throws StoreUnavailable for a database that this program is too old for
 */
export async function schemaVersion(client: Client, newest: number): Promise<number> {
  // Not to_regclass: a connection that waits for another one remembers that there was no table.
  const table = `SELECT FROM pg_tables WHERE schemaname = '${SCHEMA}' AND tablename = 'migrations'`;
  if ((await client.query(table)).rowCount === 0) return 0;
  const { rows } = await client.query<{ version: number | null; reader: number | null }>(
    `SELECT max(version)::int AS version, max(minimum_reader)::int AS reader FROM ${SCHEMA}.migrations`,
  );
  const { version, reader } = rows[0] ?? {};
  if ((reader ?? 0) <= newest) return version ?? 0;
  throw new StoreUnavailable(
    `The database has schema version ${version}, this program knows ${newest}: upgrade @deskside/todo`,
  );
}

/**
 * Applies all missing migrations, or none of them. Safe to run in many processes at once.
 *
 * @param client a connection outside a transaction, which ends after a failure; its role owns the tables
 * @param appRole the role that serves the calls; it gets the rights that it needs
 * @returns the version before
 */
export async function migrate(
  client: Client,
  migrations: readonly Migration[],
  appRole: string,
): Promise<number> {
  await client.query(`BEGIN; ${WITHOUT_ROLE_LIMIT}`);
  // The lock ends with the transaction, also behind a pooler that gives each transaction another connection.
  await client.query('SELECT pg_advisory_xact_lock($1, $2)', [...MIGRATION_LOCK]);
  const version = await schemaVersion(client, migrations.length);
  await checkEncoding(client);
  await client.query(CREATE_SCHEMA);
  await client.query(`SET LOCAL search_path = ${SCHEMA}`);
  for (const { sql } of migrations.slice(version, version === 0 ? 1 : undefined)) await client.query(sql);
  if (version < migrations.length) {
    const migrated = 'INSERT INTO migrations (version, name, minimum_reader) VALUES ($1, $2, $3)';
    await client.query(migrated, [migrations.length, migrations.at(-1)?.name, MINIMUM_READER]);
  }
  await grantAccess(client, appRole);
  await client.query('COMMIT');
  return version;
}

/** A search needs the order of Unicode, and a text can have each of its characters. */
async function checkEncoding(client: Client): Promise<void> {
  const { rows } = await client.query<{ server_encoding: string }>('SHOW server_encoding');
  const encoding = rows[0]?.server_encoding;
  if (encoding === 'UTF8') return;
  throw new StoreUnavailable(
    `The database has the encoding ${encoding}: create it with ENCODING 'UTF8' TEMPLATE template0`,
  );
}

async function grantAccess(client: Client, appRole: string): Promise<void> {
  const { rows } = await client.query<{ role: string | null }>(
    'SELECT CASE WHEN current_user <> $1 THEN quote_ident($1) END AS role',
    [appRole],
  );
  const role = rows[0]?.role ?? undefined;
  if (role === undefined) return;
  await client.query(`
    GRANT USAGE ON SCHEMA ${SCHEMA} TO ${role};
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${SCHEMA} TO ${role};
    REVOKE INSERT, UPDATE, DELETE ON ${SCHEMA}.migrations FROM ${role};
    REVOKE UPDATE, DELETE ON ${SCHEMA}.audit FROM ${role};
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${SCHEMA} TO ${role};
  `);
}

export interface DatabaseAccess {
  readonly url: string;
  /** Default: `url`. */
  readonly migrationUrl?: string | undefined;
}

/**
 * Checks the database before the first call, and creates or migrates the tables.
 *
 * @returns problems that do not prevent work
 * @throws StoreBusy or StoreUnavailable
 */
export async function prepareDatabase(access: DatabaseAccess): Promise<readonly string[]> {
  return prepared(async () => {
    const check = async (client: Client) =>
      [await schemaVersion(client, migrations.length), await readRole(client)] as const;
    const [version, { problem }] = await withClient(access.url, check, DEFAULT_WAIT_MS);
    if (version < migrations.length) await migrateDatabase(access);
    return problem === undefined ? [] : [problem];
  });
}

/**
 * Creates or migrates the tables.
 *
 * @returns the schema version before and after
 * @throws StoreUnavailable with the reason
 */
export function migrateDatabase({ url, migrationUrl = url }: DatabaseAccess) {
  return prepared(async () => {
    const { name: appRole } = await withClient(url, readRole, DEFAULT_WAIT_MS);
    const before = await withClient(migrationUrl, (client) => migrate(client, migrations, appRole));
    // It can be newer than this program.
    return { before, after: Math.max(before, migrations.length) };
  });
}

/** @throws StoreBusy or StoreUnavailable: nothing but the state of the database lets these statements fail */
async function prepared<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof DatabaseError ? toConnectError(error) : toStoreError(error);
  }
}

/** @returns the role, and a problem if row level security does not apply to it: a superuser, or a role with BYPASSRLS */
export async function readRole(client: Client) {
  const { rows } = await client.query<{ name: string; bypasses: boolean }>(
    'SELECT rolname AS name, rolsuper OR rolbypassrls AS bypasses FROM pg_roles WHERE rolname = current_user',
  );
  const [{ name, bypasses } = { name: 'unknown', bypasses: true }] = rows;
  const problem = `The database role ${name} bypasses row level security: only the program's own conditions separate the users`;
  return { name, problem: bypasses ? problem : undefined };
}
