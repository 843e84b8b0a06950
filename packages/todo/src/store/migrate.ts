import type { Database } from 'better-sqlite3';
import { StoreUnavailable } from './store-failures.ts';

export interface Migration {
  readonly name: string;
  /** Statements that take the schema one version up. */
  readonly sql: string;
}

/** 'DSKT' in ASCII: tells a task database from any other SQLite file. */
const applicationId = 0x44_53_4b_54;

/**
 * Answers the schema version of the file, 0 for an empty one; `newest` is the highest this program knows.
 *
 * Throws StoreUnavailable for a newer database and for one that another program made; writes nothing.
 */
export function schemaVersion(database: Database, newest: number): number {
  // One transaction is one snapshot: another process may be creating the schema.
  const header = database.transaction(() => ({
    application: database.pragma('application_id', { simple: true }),
    version: Number(database.pragma('user_version', { simple: true })),
    entries: database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get(),
  }))();
  if (header.application === applicationId) {
    if (header.version <= newest) return header.version;
    throw new StoreUnavailable(
      `${database.name} has schema version ${header.version}, this program knows ${newest}: upgrade @deskside/todo`,
    );
  }
  if (header.application === 0 && header.version === 0 && header.entries === 0) return 0;
  throw new StoreUnavailable(
    `${database.name} belongs to another program: choose another file for the tasks`,
  );
}

/**
 * Brings the database to the last of the migrations, all of them or none; safe to run in many processes at
 * once.
 *
 * Leaves foreign keys unenforced. `backUp` is called under the write lock, before the first change to a
 * schema that is older but not empty.
 */
export function migrate(
  database: Database,
  migrations: readonly Migration[],
  backUp: (version: number) => void,
): void {
  // Rebuilding a table drops its old self, which enforced keys forbid; a transaction can't switch them.
  database.pragma('foreign_keys = OFF');
  const upgrade = database.transaction(() => {
    const version = schemaVersion(database, migrations.length);
    if (version === migrations.length) return;
    if (version > 0) backUp(version);
    for (const migration of migrations.slice(version)) database.exec(migration.sql);
    const broken = database.prepare('SELECT count(*) FROM pragma_foreign_key_check').pluck().get();
    if (broken !== 0) {
      throw new StoreUnavailable(`Migrating ${database.name} would break ${String(broken)} references`);
    }
    database.pragma(`application_id = ${applicationId}`);
    database.pragma(`user_version = ${migrations.length}`);
  });
  upgrade.immediate();
}
