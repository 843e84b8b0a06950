import { closeSync, constants, existsSync, mkdirSync, openSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { accessProblem, getOrAdd } from '@deskside/core/base';
import { errnoOf, messageOf, nativeFailure, UserError } from '@deskside/core/errors';
import Database from 'better-sqlite3';
import { sql } from 'drizzle-orm';
import type { Dialect, Flight, Query, Rows, Statement } from '../store/statements.ts';
import type { Migration } from '../store/tables.ts';
import { DISK_IS_FULL, StoreBusy, StoreUnavailable } from '../store/task-store.ts';
import type { Work } from '../store/waiting-calls.ts';
import { FileGuard } from './file-guard.ts';
import { migrate, migrations, schemaVersion } from './migrate.ts';

/** How long SQLite itself may block the process. The store waits longer. */
const BLOCKING_TIMEOUT_MS = 50;

const IN_MEMORY = ':memory:';

const sqliteDialect: Dialect = {
  now: sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`,
  each: (json) => sql`json_each(${json}) AS item`,
  forUpdate: sql``,
  skipLocked: sql``,
  // A file has no roles, and one transaction that writes.
  lockTokens: sql`SELECT 1`,
  actAs: sql`SELECT 1`,
};

/** An open file with the statements that were prepared in it. */
export class Connection {
  readonly client: Database.Database;
  readonly guard: FileGuard;
  readonly #prepared = new Map<Statement, Database.Statement>();

  constructor(file: string) {
    this.client = openConnection(file);
    try {
      this.guard = new FileGuard(file, this.client);
    } catch (error) {
      this.client.close();
      throw isBusy(error) ? error : unavailable(`Can't open the task database ${file}`, error);
    }
  }

  /** Runs an operation to its end. */
  run<T>(work: Work<T>): T {
    const operation = work();
    let step = operation.next();
    while (step.done !== true) step = operation.next(this.answer(step.value));
    return step.value;
  }

  answer({ queries }: Flight): readonly Rows[] {
    return queries.map((query) => this.#rows(query));
  }

  #rows({ statement, values }: Query): Rows {
    const { texts, parameters } = statement.render(sqliteDialect);
    const prepared = getOrAdd(this.#prepared, statement, () => {
      const written = this.client.prepare(texts.join('?'));
      return written.reader ? written.raw() : written;
    });
    const given = parameters.map((name) => values[name] ?? null);
    if (prepared.reader) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a raw statement returns arrays
      return prepared.all(...given) as unknown[][];
    }
    prepared.run(...given);
    return [];
  }
}

/**
 * Opens, or creates and migrates, a task database. Blocks, and closes the handle if anything fails.
 *
 * @param file an absolute path, or `:memory:`
 * @throws SQLite's busy errors unchanged, everything else as StoreUnavailable
 */
export function openConnection(file: string, steps: readonly Migration[] = migrations): Database.Database {
  try {
    if (file !== IN_MEMORY && !existsSync(file)) {
      ensurePrivateFolder(dirname(file));
      // From its first moment nobody else can open it.
      closeSync(openSync(file, 'a', 0o600));
    }
    const database = new Database(file, { timeout: BLOCKING_TIMEOUT_MS });
    try {
      prepare(database, steps);
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
  const paths = existsSync(file) ? [file, dirname(realpathSync(file))] : [];
  return paths.every((path) => accessProblem(path, constants.W_OK) === undefined);
}

function prepare(database: Database.Database, steps: readonly Migration[]): void {
  // Check the owner before the first write: switching to WAL changes the file.
  const version = schemaVersion(database, steps.length);
  const mode = database.pragma('journal_mode = WAL', { simple: true });
  if (mode !== 'wal' && !database.memory) {
    throw new StoreUnavailable(`${database.name} can't use a write-ahead log: move it to a local disk`);
  }
  database.pragma('synchronous = FULL');
  // Deleted and replaced texts are overwritten, also those that a migration moves.
  database.pragma('secure_delete = ON');
  if (version < steps.length) migrate(database, steps);
  database.pragma('foreign_keys = ON');
  // Each savepoint copies the pages that a call changes. Above 64 kB they would go to a file.
  database.pragma('temp_store = MEMORY');
}

/** One folder at a time: Node's recursive mkdir never returns where the system refuses, for example in /proc. */
function ensurePrivateFolder(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) ensurePrivateFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process has created it.
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
