import type Database from 'better-sqlite3';
import { createTables } from '../store/tables.ts';
import { StoreUnavailable } from '../store/task-store.ts';

/** The version of the tables that this program creates. */
const SCHEMA_VERSION = 1;

const TABLES = createTables({
  integer: 'INTEGER',
  text: 'TEXT',
  // A removed row leaves a gap.
  counter: 'INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL',
  isDate: (column) => `${column} GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]'`,
  isList: (column) => `json_type(${column}) = 'array'`,
  end: ' STRICT',
});

/** 'DSKT' in ASCII: distinguishes a task database from other SQLite files. */
const APPLICATION_ID = 0x44_53_4b_54;

/**
 * Returns the version of the tables, 0 for an empty file. Writes nothing.
 *
 * @param file the name of the database in errors
 * @throws StoreUnavailable for a newer database, and for a database of another program
 */
export function schemaVersion(database: Database.Database, file = database.name): number {
  // One transaction is one snapshot: another process may be creating the tables.
  const header = database.transaction(() => ({
    application: database.pragma('application_id', { simple: true }),
    version: Number(database.pragma('user_version', { simple: true })),
    entries: database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get(),
  }))();
  if (header.application === APPLICATION_ID) {
    if (header.version <= SCHEMA_VERSION) return header.version;
    throw new StoreUnavailable(
      `${file} has schema version ${header.version}, this program knows ${SCHEMA_VERSION}: upgrade @deskside/todo`,
    );
  }
  if (header.application === 0 && header.version === 0 && header.entries === 0) return 0;
  throw new StoreUnavailable(`${file} belongs to another program: choose another file for the tasks`);
}

/** Creates the tables completely or not at all. Safe to run in many processes at once. */
export function createSchema(database: Database.Database): void {
  const create = database.transaction(() => {
    if (schemaVersion(database) > 0) return;
    database.exec(TABLES);
    database.pragma(`application_id = ${APPLICATION_ID}`);
    database.pragma(`user_version = ${SCHEMA_VERSION}`);
  });
  create.immediate();
}
