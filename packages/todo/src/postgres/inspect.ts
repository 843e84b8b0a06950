import { oddRows, READ_ODD_ROWS, type RowToCheck } from '../store/odd-rows.ts';
import type { DatabaseContent } from '../store/task-store.ts';
import { onlyReads, toStoreError, withClient } from './connection.ts';
import { readRole, type Role, SCHEMA, schemaVersion, SETTINGS } from './tables.ts';

/** Row level security hides all other users. */
interface ServerContent extends DatabaseContent {
  readonly role: Role;
  /** It is a replica, or has a setting that refuses changes. */
  readonly onlyReads: boolean;
}

/**
 * Reads what a database contains for some users. Changes nothing.
 *
 * @throws StoreBusy or StoreUnavailable
 */
export async function inspectDatabase(url: string, users: readonly string[]): Promise<ServerContent> {
  try {
    return await withClient(url, async (client) => {
      await client.query('BEGIN READ ONLY');
      const [role, version] = [await readRole(client), await schemaVersion(client)];
      const content = { role, schemaVersion: version, onlyReads: await onlyReads(client) };
      const [counted, odd]: [DatabaseContent['users'][number][], string[]] = [[], []];
      await client.query(`SET LOCAL search_path = ${SCHEMA}`);
      for (const id of version === 0 ? [] : users) {
        await client.query('SELECT set_config($1, $2, true)', [SETTINGS.user, id]);
        const { rows } = await client.query<{ pending: number; completed: number }>(
          `SELECT count(*) FILTER (WHERE completed = 0) AS pending, count(*) FILTER (WHERE completed = 1) AS completed
           FROM tasks WHERE user_id = $1 AND deleted_at IS NULL`,
          [id],
        );
        counted.push({ id, pending: rows[0]?.pending ?? 0, completed: rows[0]?.completed ?? 0 });
        odd.push(...oddRows((await client.query<RowToCheck>(READ_ODD_ROWS)).rows));
      }
      return { ...content, users: counted, oddRows: odd };
    });
  } catch (error) {
    throw toStoreError(error);
  }
}
