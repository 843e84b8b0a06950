import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  realpathSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf, messageOf, nativeFailure, UserError } from '@deskside/core/errors';
import Database from 'better-sqlite3';
import type { Migration } from '../store/tables.ts';
import { DISK_IS_FULL, StoreBusy, StoreUnavailable } from '../store/task-store.ts';
import { migrate, schemaVersion } from './migrate.ts';

/** How long SQLite itself may block the process. The store waits longer. */
const BLOCKING_TIMEOUT_MS = 50;

const IN_MEMORY = ':memory:';

/**
 * Opens, or creates and migrates, a task database. Blocks, and closes the handle if anything fails.
 *
 * @param file an absolute path, or `:memory:`
 * @throws SQLite's busy errors unchanged, everything else as StoreUnavailable
 */
export function openConnection(file: string, migrations: readonly Migration[]): Database.Database {
  try {
    if (file !== IN_MEMORY) ensurePrivateFolder(dirname(file));
    const isNew = file !== IN_MEMORY && !existsSync(file);
    // From its first moment nobody else can open it.
    if (isNew) ignoreExisting(() => closeSync(openSync(file, 'wx', 0o600)));
    const database = new Database(file, { timeout: BLOCKING_TIMEOUT_MS });
    try {
      // SQLite creates what a link leads to.
      if (isNew) chmodSync(file, 0o600);
      prepare(database, migrations);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    if (isBusy(error) || error instanceof StoreUnavailable) throw error;
    throw unavailable(
      `Can't open the task database ${file}`,
      error,
      isWritable(file) ? undefined : READ_ONLY,
    );
  }
}

/** SQLite itself only says "unable to open database file". */
const READ_ONLY =
  'it is read-only here, and reading needs to write to the file and its folder too. Copy it to a folder that this user can write to, or correct the permissions';

/** Whether SQLite can change the file, and create its write-ahead log beside it. True if the file does not exist. */
function isWritable(file: string): boolean {
  if (!existsSync(file)) return true;
  try {
    for (const path of [file, dirname(realpathSync(file))]) accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function prepare(database: Database.Database, migrations: readonly Migration[]): void {
  // Check the owner before the first write: switching to WAL changes the file.
  const version = schemaVersion(database, migrations.length);
  const mode = database.pragma('journal_mode = WAL', { simple: true });
  if (mode !== 'wal' && !database.memory) {
    throw new StoreUnavailable(`${database.name} can't use a write-ahead log: move it to a local disk`);
  }
  database.pragma('synchronous = FULL');
  // Deleted and replaced texts are overwritten, also those that a migration moves.
  database.pragma('secure_delete = ON');
  if (version < migrations.length) migrate(database, migrations);
  database.pragma('foreign_keys = ON');
  // Each savepoint copies the pages that a call changes. Above 64 kB they would go to a file.
  database.pragma('temp_store = MEMORY');
}

/** One folder at a time: Node's recursive mkdir never returns where the system refuses, for example in /proc. */
function ensurePrivateFolder(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) ensurePrivateFolder(parent);
  ignoreExisting(() => mkdirSync(path, { mode: 0o700 }));
}

function ignoreExisting(create: () => void): void {
  try {
    create();
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

// SQLITE_PROTOCOL: two processes that start on the same WAL raced, and this one lost.
const BUSY_CODES = /^SQLITE_(BUSY|LOCKED|PROTOCOL)/;
const UNAVAILABLE_CODES = /^SQLITE_(CANTOPEN|CORRUPT|FULL|IOERR|NOMEM|NOTADB|PERM|READONLY)/;

/** Whether another connection holds a lock, so that the same work may succeed later. */
export function isBusy(error: unknown): boolean {
  return BUSY_CODES.test(errnoOf(error) ?? '');
}

/** Turns locks into StoreBusy, and errors of the disk or the file into StoreUnavailable; returns other errors unchanged. */
export function toStoreError(error: unknown): unknown {
  if (isBusy(error)) return new StoreBusy({ cause: error });
  if (UserError.is(error) || !UNAVAILABLE_CODES.test(errnoOf(error) ?? '')) return error;
  return unavailable('The task database failed', error);
}

/** @param reason instead of the error's own text */
export function unavailable(
  what: string,
  error: unknown,
  reason: string = messageOf(error),
): StoreUnavailable {
  const native = nativeFailure(error);
  const text = native && `${native.error}. ${native.hint}`;
  if (text !== undefined) return new StoreUnavailable(text, { cause: error, advice: `this: ${text}` });
  if (!FULL_CODES.test(errnoOf(error) ?? ''))
    return new StoreUnavailable(`${what}: ${reason}`, { cause: error });
  return new StoreUnavailable(`${what}: the disk is full`, { cause: error, advice: DISK_IS_FULL });
}

/** SQLite calls it an I/O error if the index of the write-ahead log cannot grow. */
const FULL_CODES = /^(?:SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT)$/;
