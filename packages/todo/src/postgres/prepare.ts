import type { Client } from 'pg';
import { StoreUnavailable } from '../store/task-store.ts';
import { DEFAULT_WAIT_MS, toStoreError, withClient } from './connection.ts';
import { migrate, migrations, schemaVersion } from './migrate.ts';

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
  try {
    const check = async (client: Client) =>
      [await schemaVersion(client, migrations.length), await readRole(client)] as const;
    const [version, { problem }] = await withClient(access.url, check, DEFAULT_WAIT_MS);
    if (version < migrations.length) await migrateDatabase(access);
    return problem === undefined ? [] : [problem];
  } catch (error) {
    throw withAdvice(error);
  }
}

/**
 * Creates or migrates the tables.
 *
 * @returns the schema version before and after
 * @throws StoreUnavailable with the reason
 */
export async function migrateDatabase({
  url,
  migrationUrl = url,
}: DatabaseAccess): Promise<{ readonly before: number; readonly after: number }> {
  try {
    const appRole = await withClient(url, async (client) => (await readRole(client)).name);
    const before = await withClient(migrationUrl, (client) => migrate(client, migrations, appRole));
    // It can be newer than this program.
    return { before, after: Math.max(before, migrations.length) };
  } catch (error) {
    throw withAdvice(error);
  }
}

/** What to do if the role has too few rights. */
function withAdvice(error: unknown): unknown {
  const failure = toStoreError(error);
  if (!(failure instanceof StoreUnavailable) || !/permission denied|must be owner/.test(failure.reason))
    return failure;
  const advice = 'run `deskside-todo migrate` with the URL of the owner of the tables in TODO_MIGRATION_URL';
  return new StoreUnavailable(`${failure.reason}: ${advice}`, { cause: error });
}

/** The role of a connection. */
export interface Role {
  readonly name: string;
  /** Set if row level security does not apply to it: a superuser, or a role with BYPASSRLS. */
  readonly problem: string | undefined;
}

export async function readRole(client: Pick<Client, 'query'>): Promise<Role> {
  const { rows } = await client.query<{ name: string; bypasses: boolean }>(
    'SELECT rolname AS name, rolsuper OR rolbypassrls AS bypasses FROM pg_roles WHERE rolname = current_user',
  );
  const [{ name, bypasses } = { name: 'unknown', bypasses: true }] = rows;
  const problem = `The database role ${name} bypasses row level security: only the program's own conditions separate the users`;
  return { name, problem: bypasses ? problem : undefined };
}
