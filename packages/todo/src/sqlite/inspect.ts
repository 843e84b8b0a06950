import { existsSync, readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import {
  contentOf,
  type Findings,
  type Problem,
  READ_ODD_ROWS,
  type RowToCheck,
  type UserTasks,
} from '../store/inspection.ts';
import { StoreUnavailable } from '../store/task-store.ts';
import { unavailable } from './connection.ts';
import { migrations, schemaVersion } from './migrate.ts';

/** Position of the two bytes in a database file that say that it uses a write-ahead log. */
const WAL_FLAGS_OFFSET = 18;

const READ_USERS = `SELECT user_id AS id, count(*) FILTER (WHERE completed = 0) AS pending,
    count(*) FILTER (WHERE completed = 1) AS completed
  FROM tasks WHERE deleted_at IS NULL GROUP BY user_id ORDER BY user_id`;

/**
 * Reads what a database file contains. Changes nothing, and creates no files beside it.
 *
 * @throws StoreUnavailable if the file is not a task database that this program can read
 */
export function inspectDatabase(file: string): Findings {
  try {
    const database = openForReading(file);
    try {
      const version = schemaVersion(database, migrations.length, file);
      const integrity = String(database.pragma('quick_check(1)', { simple: true }));
      const damage: Problem = [
        `The database is damaged: ${integrity}`,
        'Stop the server and restore a backup.',
      ];
      const users = version === 0 ? [] : database.prepare<[], UserTasks>(READ_USERS).all();
      const rows = version === 0 ? [] : database.prepare<[], RowToCheck>(READ_ODD_ROWS).all();
      const { facts, problems } = contentOf(version, migrations.length, users, rows);
      return { facts, problems: [...(integrity === 'ok' ? [] : [damage]), ...problems] };
    } finally {
      database.close();
    }
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    throw unavailable(`Can't open the task database ${file}`, error);
  }
}

/** A connection to a file without a write-ahead log would create one, so such a file is read into memory. */
function openForReading(file: string): Database.Database {
  if (existsSync(`${file}-wal`)) return new Database(file, { readonly: true });
  const bytes = readFileSync(file);
  // SQLite can't open a database in WAL mode from memory.
  if (bytes.length > WAL_FLAGS_OFFSET) bytes.fill(1, WAL_FLAGS_OFFSET, WAL_FLAGS_OFFSET + 2);
  return new Database(bytes, { readonly: true });
}
