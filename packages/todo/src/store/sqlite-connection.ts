import Database from 'better-sqlite3';
import { backUp } from './sqlite-backup.ts';
import { migrate, schemaVersion, type Migration } from './migrate.ts';
import { ensurePrivateFile } from './private-file.ts';
import { isBusy, messageOf } from './sqlite-errors.ts';
import { StoreUnavailable } from './store-failures.ts';

/** Milliseconds for which SQLite itself may block the process; longer waits are BusyRetry's. */
const blockingTimeout = 50;

const inMemory = ':memory:';

/**
 * Opens, or creates and migrates, a task database; blocks, and closes the handle again if anything fails.
 *
 * @param file an absolute path, or `:memory:`
 * @throws SQLite's busy errors as they are, everything else as StoreUnavailable
 */
export function openConnection(file: string, migrations: readonly Migration[]): Database.Database {
  try {
    if (file !== inMemory) ensurePrivateFile(file);
    const database = new Database(file, { timeout: blockingTimeout });
    try {
      prepare(database, migrations);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    if (isBusy(error) || error instanceof StoreUnavailable) throw error;
    throw new StoreUnavailable(`Can't open the task database ${file}: ${messageOf(error)}`, { cause: error });
  }
}

function prepare(database: Database.Database, migrations: readonly Migration[]): void {
  // Before anything is written: switching to WAL changes the file, and it may be somebody else's.
  const version = schemaVersion(database, migrations.length);
  const mode = database.pragma('journal_mode = WAL', { simple: true });
  if (mode !== 'wal' && !database.memory) {
    throw new StoreUnavailable(`${database.name} can't use a write-ahead log: move it to a local disk`);
  }
  database.pragma('synchronous = FULL');
  if (version < migrations.length) {
    migrate(database, migrations, (old) => backUp(database.name, old, blockingTimeout));
  }
  database.pragma('foreign_keys = ON');
}
