import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { createTables, type Migration } from '../store/tables.ts';
import { StoreUnavailable } from '../store/task-store.ts';

/** The first entry creates the present tables, each other one raises the schema by one version. */
export const migrations: readonly Migration[] = [
  {
    name: 'tasks',
    sql: createTables({
      integer: 'INTEGER',
      text: 'TEXT',
      // A removed row leaves a gap.
      counter: 'INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL',
      isDate: (column) => `${column} GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]'`,
      isList: (column) => `json_type(${column}) = 'array'`,
      end: ' STRICT',
    }),
  },
];

/** 'DSKT' in ASCII: distinguishes a task database from other SQLite files. */
const APPLICATION_ID = 0x44_53_4b_54;

/**
 * Returns the schema version of the file, 0 for an empty one. Writes nothing.
 *
 * @param newest the highest version that this program knows
 * @param file the name of the database in errors
 * @throws StoreUnavailable for a newer database, and for a database of another program
 */
export function schemaVersion(database: Database.Database, newest: number, file = database.name): number {
  // One transaction is one snapshot: another process may be creating the schema.
  const header = database.transaction(() => ({
    application: database.pragma('application_id', { simple: true }),
    version: Number(database.pragma('user_version', { simple: true })),
    entries: database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get(),
  }))();
  if (header.application === APPLICATION_ID) {
    if (header.version <= newest) return header.version;
    throw new StoreUnavailable(
      `${file} has schema version ${header.version}, this program knows ${newest}: upgrade @deskside/todo`,
    );
  }
  if (header.application === 0 && header.version === 0 && header.entries === 0) return 0;
  throw new StoreUnavailable(`${file} belongs to another program: choose another file for the tasks`);
}

/**
 * Applies all missing migrations, or none of them. Safe to run in many processes at once. A database that has tables is copied
 * before, to `<file>.v<version>.bak`: the lock stops all other writers, so the copy is exactly what is migrated.
 */
export function migrate(database: Database.Database, migrations: readonly Migration[]): void {
  const upgrade = database.transaction(() => {
    const version = schemaVersion(database, migrations.length);
    if (version === migrations.length) return;
    if (version > 0 && !database.memory) copyDatabase(database.name, `${database.name}.v${version}.bak`);
    for (const { sql } of migrations.slice(version, version === 0 ? 1 : undefined)) database.exec(sql);
    database.pragma(`application_id = ${APPLICATION_ID}`);
    database.pragma(`user_version = ${migrations.length}`);
  });
  upgrade.immediate();
}

/** How long the copy waits for another process that opens or closes the database. */
const COPY_TIMEOUT_MS = 5000;

/** Writes a complete database (0600), and replaces an older file of that name. Other connections may write meanwhile. */
export function copyDatabase(file: string, finished: string): void {
  const partial = `${finished}.partial`;
  // A leftover, or a link, would keep its own mode.
  rmSync(partial, { force: true });
  const descriptor = openSync(partial, 'wx', 0o600);
  try {
    const reader = new Database(file, { readonly: true, timeout: COPY_TIMEOUT_MS });
    try {
      reader.prepare('VACUUM INTO ?').run(partial);
    } finally {
      reader.close();
    }
    // VACUUM INTO doesn't wait for the disk.
    fsyncSync(descriptor);
    renameSync(partial, finished);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}
