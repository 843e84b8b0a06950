import type { Client } from 'pg';
import {
  contentOf,
  type Findings,
  type Problem,
  READ_ODD_ROWS,
  type RowToCheck,
  type UserTasks,
} from '../store/inspection.ts';
import { DEFAULT_WAIT_MS, onlyReads, toStoreError, withClient } from './connection.ts';
import { type DatabaseAccess, migrations, readRole, SCHEMA, schemaVersion, SETTINGS } from './migrate.ts';

const MIGRATE = 'Run: deskside-todo migrate, with the URL of the owner of the tables in TODO_MIGRATION_URL.';

/**
 * Reads what a database contains for some users: row level security hides all others. Changes nothing.
 *
 * @param connections how many a server opens at most
 * @throws StoreBusy or StoreUnavailable
 */
export async function inspectDatabase(
  { url, migrationUrl = url }: DatabaseAccess,
  users: readonly string[],
  connections: number,
): Promise<Findings> {
  try {
    const newest = migrations.length;
    const inspected = async (client: Client) => {
      const version = await schemaVersion(client, newest);
      const server = await inspectServer(client, connections);
      const { counts, rows } = version === 0 ? { counts: [], rows: [] } : await readTasks(client, users);
      const content = contentOf(version, newest, counts, rows);
      const missing = version === 0 ? [] : await missingRights(client);
      return { version, server, content, missing };
    };
    const { version, server, content, missing } = await withClient(url, inspected, DEFAULT_WAIT_MS);
    const isOutdated = version < newest;
    const unable = isOutdated ? await withClient(migrationUrl, cannotMigrate, DEFAULT_WAIT_MS) : undefined;
    return {
      facts: [...server.facts, ...content.facts],
      problems: [...server.problems, ...(unable ?? missing), ...content.problems],
    };
  } catch (error) {
    throw toStoreError(error);
  }
}

async function inspectServer(client: Client, connections: number): Promise<Findings> {
  const { name, problem } = await readRole(client);
  const { rows } = await client.query<Record<'version' | 'encoding' | 'maximum', string>>(`
    SELECT current_setting('server_version') AS version, current_setting('server_encoding') AS encoding,
      current_setting('max_connections') AS maximum`);
  const { version, encoding, maximum } = rows[0] ?? {};
  const problems: Problem[] = [];
  if (problem !== undefined) problems.push([`${problem}.`, 'Use a role without SUPERUSER and BYPASSRLS.']);
  if (encoding !== 'UTF8') {
    const remedy = "Create a database with ENCODING 'UTF8' TEMPLATE template0.";
    problems.push([`The database has the encoding ${encoding}.`, remedy]);
  }
  if (await onlyReads(client)) {
    problems.push([
      'The database only reads: it is a replica, or default_transaction_read_only is set.',
      'Use the URL of the primary server, or change the setting of the role or the database.',
    ]);
  }
  const limits = `at most ${connections}; the server accepts ${maximum} of all programs`;
  return {
    facts: [
      ['Server', `PostgreSQL ${version}`, 'detail'],
      ['Role', name, 'detail'],
      ['Connections', limits, 'detail'],
    ],
    problems,
  };
}

/** What a server does with each table; it only adds to the audit, and reads the migrations. */
async function missingRights(client: Client): Promise<readonly Problem[]> {
  const { rows } = await client.query<{ missing: string }>(`
    SELECT concat_ws(' ', 'The database role', current_user, 'has no right to', privilege, 'on the table', relname) AS missing
    FROM pg_class, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS privilege
    WHERE relnamespace = '${SCHEMA}'::regnamespace AND relkind = 'r'
      AND NOT (relname = 'audit' AND privilege IN ('UPDATE', 'DELETE'))
      AND NOT (relname = 'migrations' AND privilege <> 'SELECT')
      AND NOT has_table_privilege(oid, privilege)
    ORDER BY missing`);
  return rows.map(({ missing }) => [`${missing}.`, MIGRATE]);
}

/** @returns that a role cannot create or migrate the tables */
async function cannotMigrate(client: Client): Promise<readonly Problem[] | undefined> {
  const { rows } = await client.query<{ role: string; can: boolean }>(`
    SELECT current_user AS role, CASE WHEN to_regnamespace('${SCHEMA}') IS NULL
      THEN has_database_privilege(current_database(), 'CREATE')
      ELSE (SELECT bool_and(pg_has_role(relowner, 'USAGE')) AND has_schema_privilege('${SCHEMA}', 'CREATE') FROM pg_class
        WHERE relnamespace = to_regnamespace('${SCHEMA}') AND relkind = 'r') END AS can`);
  const [{ role, can } = { role: 'unknown', can: false }] = rows;
  return can ? undefined : [[`The database role ${role} may not create or change the tables.`, MIGRATE]];
}

async function readTasks(client: Client, users: readonly string[]) {
  const counts: UserTasks[] = [];
  const rows: RowToCheck[] = [];
  await client.query(`SET LOCAL search_path = ${SCHEMA}`);
  for (const id of users) {
    await client.query('SELECT set_config($1, $2, true)', [SETTINGS.user, id]);
    const counted = await client.query<UserTasks>(
      `SELECT $1::text AS id, count(*) FILTER (WHERE completed = 0) AS pending, count(*) FILTER (WHERE completed = 1) AS completed
       FROM tasks WHERE user_id = $1 AND deleted_at IS NULL`,
      [id],
    );
    counts.push(...counted.rows);
    rows.push(...(await client.query<RowToCheck>(READ_ODD_ROWS)).rows);
  }
  return { counts, rows };
}
