import type { Client } from 'pg';
import { oddRows, READ_ODD_ROWS, type RowToCheck } from '../store/odd-rows.ts';
import type { DatabaseContent, UserTasks } from '../store/task-store.ts';
import { DEFAULT_WAIT_MS, onlyReads, toStoreError, withClient } from './connection.ts';
import {
  type DatabaseAccess,
  migrations,
  readRole,
  type Role,
  SCHEMA,
  schemaVersion,
  SETTINGS,
} from './migrate.ts';

/** Row level security hides all other users. */
interface ServerContent extends DatabaseContent {
  /** For example `15.18`. */
  readonly serverVersion: string;
  readonly role: Role;
  /** Of all programs together. */
  readonly maxConnections: string;
  /** For example `UTF8`, with which alone all calls work. */
  readonly encoding: string;
  /** It is a replica, or has a setting that refuses changes. */
  readonly onlyReads: boolean;
  /** Why calls would fail, as sentences. */
  readonly missingRights: readonly string[];
}

/**
 * Reads what a database contains for some users. Changes nothing.
 *
 * @throws StoreBusy or StoreUnavailable
 */
export async function inspectDatabase(
  { url, migrationUrl = url }: DatabaseAccess,
  users: readonly string[],
): Promise<ServerContent> {
  try {
    const inspected = async (client: Client) => {
      const [version, role] = [await schemaVersion(client, migrations.length), await readRole(client)];
      const rights = version === 0 ? [] : await missingRights(client, role);
      const tasks = version === 0 ? { users: [], oddRows: [] } : await readUsers(client, users);
      const versions = { schemaVersion: version, newestSchemaVersion: migrations.length };
      return { ...(await readServer(client)), role, missingRights: rights, ...versions, ...tasks };
    };
    const content = await withClient(url, inspected, DEFAULT_WAIT_MS);
    if (content.schemaVersion >= migrations.length) return content;
    const unable = await withClient(migrationUrl, cannotMigrate, DEFAULT_WAIT_MS);
    return { ...content, missingRights: unable === undefined ? content.missingRights : [unable] };
  } catch (error) {
    throw toStoreError(error);
  }
}

async function readServer(client: Client) {
  const { rows } = await client.query<Record<'serverVersion' | 'encoding' | 'maxConnections', string>>(`
    SELECT current_setting('server_version') AS "serverVersion", current_setting('server_encoding') AS encoding,
      current_setting('max_connections') AS "maxConnections"`);
  const unknown = { serverVersion: 'unknown', encoding: 'unknown', maxConnections: 'unknown' };
  return { ...unknown, ...rows[0], onlyReads: await onlyReads(client) };
}

/** What a server does with each table; it only adds to the audit, and reads the migrations. */
async function missingRights(client: Client, { name }: Role): Promise<readonly string[]> {
  const { rows } = await client.query<{ missing: string }>(`
    SELECT concat_ws(' ', privilege, 'on the table', relname) AS missing
    FROM pg_class, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS privilege
    WHERE relnamespace = '${SCHEMA}'::regnamespace AND relkind = 'r'
      AND NOT (relname = 'audit' AND privilege IN ('UPDATE', 'DELETE'))
      AND NOT (relname = 'migrations' AND privilege <> 'SELECT')
      AND NOT has_table_privilege(oid, privilege)
    ORDER BY missing`);
  return rows.map(({ missing }) => `The database role ${name} has no right to ${missing}`);
}

/** @returns why a role cannot create or migrate the tables */
async function cannotMigrate(client: Client): Promise<string | undefined> {
  const { name } = await readRole(client);
  const { rows } = await client.query<{ can: boolean }>(`
    SELECT CASE WHEN to_regnamespace('${SCHEMA}') IS NULL
      THEN has_database_privilege(current_database(), 'CREATE')
      ELSE (SELECT bool_and(pg_has_role(relowner, 'USAGE')) AND has_schema_privilege('${SCHEMA}', 'CREATE') FROM pg_class
        WHERE relnamespace = to_regnamespace('${SCHEMA}') AND relkind = 'r') END AS can`);
  return rows[0]?.can === true ? undefined : `The database role ${name} may not create or change the tables`;
}

async function readUsers(client: Client, users: readonly string[]) {
  const counted: UserTasks[] = [];
  const odd: string[] = [];
  await client.query(`SET LOCAL search_path = ${SCHEMA}`);
  for (const id of users) {
    await client.query('SELECT set_config($1, $2, true)', [SETTINGS.user, id]);
    const { rows } = await client.query<{ pending: number; completed: number }>(
      `SELECT count(*) FILTER (WHERE completed = 0)::int AS pending, count(*) FILTER (WHERE completed = 1)::int AS completed
       FROM ${SCHEMA}.tasks WHERE user_id = $1 AND deleted_at IS NULL`,
      [id],
    );
    counted.push({ id, pending: rows[0]?.pending ?? 0, completed: rows[0]?.completed ?? 0 });
    odd.push(...oddRows((await client.query<RowToCheck>(READ_ODD_ROWS)).rows));
  }
  return { users: counted, oddRows: odd };
}
