import type { Client } from 'pg';
import type { UserTasks } from '../store/task-store.ts';
import { toStoreError } from './connection.ts';
import { schemaVersion } from './migrate.ts';
import { migrations } from './migrations.ts';
import { readRole, type Role, withClient } from './prepare.ts';
import { SCHEMA, SETTINGS } from './schema.ts';

export interface DatabaseContent {
  /** For example `15.18`. */
  readonly serverVersion: string;
  readonly role: Role;
  /** 0 if there are no tables. */
  readonly schemaVersion: number;
  /** The version that this program creates. */
  readonly newestSchemaVersion: number;
  /** Row level security hides all other users. */
  readonly users: readonly UserTasks[];
}

/**
 * Reads what a database contains for some users. Changes nothing.
 *
 * @throws StoreBusy or StoreUnavailable
 */
export async function inspectDatabase(url: string, users: readonly string[]): Promise<DatabaseContent> {
  try {
    return await withClient(url, async (client) => {
      await client.query('BEGIN READ ONLY');
      const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
      const version = await schemaVersion(client, migrations.length);
      return {
        serverVersion: rows[0]?.server_version ?? 'unknown',
        role: await readRole(client),
        schemaVersion: version,
        newestSchemaVersion: migrations.length,
        users: version === 0 ? [] : await readUsers(client, users),
      };
    });
  } catch (error) {
    throw toStoreError(error);
  }
}

async function readUsers(client: Client, users: readonly string[]): Promise<readonly UserTasks[]> {
  const counted: UserTasks[] = [];
  for (const id of users) {
    await client.query('SELECT set_config($1, $2, true)', [SETTINGS.user, id]);
    const { rows } = await client.query<{ pending: number; completed: number }>(
      `SELECT count(*) FILTER (WHERE NOT completed)::int AS pending, count(*) FILTER (WHERE completed)::int AS completed
       FROM ${SCHEMA}.tasks WHERE user_id = $1`,
      [id],
    );
    counted.push({ id, pending: rows[0]?.pending ?? 0, completed: rows[0]?.completed ?? 0 });
  }
  return counted;
}
