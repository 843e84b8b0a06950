import { existsSync, readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { oddRows, READ_ODD_ROWS, type RowToCheck } from '../store/odd-rows.ts';
import { type DatabaseContent, StoreUnavailable, type UserTasks } from '../store/task-store.ts';
import { unavailable } from './connection.ts';
import { migrations, schemaVersion } from './migrate.ts';

interface FileContent extends DatabaseContent {
  /** `ok`, or the first fault that SQLite finds. */
  readonly integrity: string;
}

/** Position of the two bytes in a database file that say that it uses a write-ahead log. */
const WAL_FLAGS_OFFSET = 18;

/**
 * Reads what a database file contains. Changes nothing, and creates no files beside it.
 *
 * @throws StoreUnavailable if the file is not a task database that this program can read
 */
export function inspectDatabase(file: string): FileContent {
  try {
    const database = openForReading(file);
    try {
      const version = schemaVersion(database, migrations.length, file);
      return {
        schemaVersion: version,
        newestSchemaVersion: migrations.length,
        integrity: String(database.pragma('quick_check(1)', { simple: true })),
        users: version === 0 ? [] : readUsers(database),
        oddRows: version === 0 ? [] : oddRows(database.prepare<[], RowToCheck>(READ_ODD_ROWS).all()),
      };
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

function readUsers(database: Database.Database): readonly UserTasks[] {
  return database
    .prepare<[], UserTasks>(
      `SELECT user_id AS id, count(*) FILTER (WHERE completed = 0) AS pending,
       count(*) FILTER (WHERE completed = 1) AS completed
     FROM tasks WHERE deleted_at IS NULL GROUP BY user_id ORDER BY user_id`,
    )
    .all();
}
