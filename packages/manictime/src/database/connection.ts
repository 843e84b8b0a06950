import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { namesIn } from '@deskside/core/base';
import { DAY } from '@deskside/core/dates';
import { errnoOf } from '@deskside/core/errors';
import Database from 'better-sqlite3';

/** How long SQLite itself may block the process. */
const BLOCKING_TIMEOUT_MS = 50;

/** Of the folders with copies, in the folder for temporary files. */
const PREFIX = 'deskside-manictime-copy-';
const ABANDONED_MS = DAY * 1000;

/** Opens a file read-only. In WAL mode SQLite needs `-wal` and `-shm` files: see {@link leavesFiles}. */
export function openReadOnly(file: string): Database.Database {
  const database = new Database(file, { readonly: true, fileMustExist: true, timeout: BLOCKING_TIMEOUT_MS });
  try {
    database.pragma('query_only = ON');
    // Reads the first page, so that a file that is not a readable database fails here.
    database.pragma('schema_version');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Whether SQLite would create files beside a database to read it: in WAL mode, if no program has it open. */
export function leavesFiles(file: string): boolean {
  if (['-wal', '-shm'].every((suffix) => existsSync(`${file}${suffix}`))) return false;
  return startOf(file, WAL_BYTE + 1).bytes[WAL_BYTE] === 2;
}

/** In the header of a database: how it is read. 2 is WAL mode. */
const WAL_BYTE = 19;

/** The first bytes of a file, and what it is. */
function startOf(file: string, length: number) {
  const opened = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(length);
    const read = readSync(opened, bytes, 0, length, 0);
    return { bytes: bytes.subarray(0, read), ...fstatSync(opened, { bigint: true }) };
  } finally {
    closeSync(opened);
  }
}

/** A database to read, and its {@link commitVersion}. */
export interface ReadableFile {
  readonly file: string;
  readonly version: string | undefined;
}

/**
 * A copy in a temporary folder, for a database that cannot be read in place: nothing may be written beside it, and a
 * transaction that a crash left half written must be rolled back first. The copy is reused until the original changes.
 */
export class PrivateCopies {
  #copy:
    | (Omit<ReadableFile, 'file'> & { readonly folder: string; readonly file: Promise<string> })
    | undefined;

  /** Calls at the same time wait for the same copy. A copy that fails is made again by the next call. */
  async of(original: string): Promise<ReadableFile> {
    const version = commitVersion(original);
    if (version === undefined || this.#copy?.version !== version || !existsSync(this.#copy.folder)) {
      this.remove();
      removeAbandoned();
      const folder = mkdtempSync(join(tmpdir(), PREFIX));
      this.#copy = { version, folder, file: copyInto(folder, original) };
    }
    const copy = this.#copy;
    try {
      // Reading a copy writes files beside it, so that its own version changes without a commit.
      return { file: await copy.file, version };
    } catch (error) {
      if (this.#copy === copy) this.remove();
      throw error;
    }
  }

  remove(): void {
    if (this.#copy !== undefined) rmSync(this.#copy.folder, { recursive: true, force: true });
    this.#copy = undefined;
  }
}

/** A killed server leaves its copy, of hundreds of megabytes. A server that still needs one of that age makes it again. */
function removeAbandoned(): void {
  for (const name of namesIn(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = join(tmpdir(), name);
    try {
      if (Date.now() - statSync(folder).mtimeMs > ABANDONED_MS) rmSync(folder, { recursive: true });
    } catch {
      // Another user's, in use on Windows, or another server was faster.
    }
  }
}

/** What belongs to a database. The journal comes first: it restores pages that are written after it is copied. */
const PARTS = ['-journal', '-wal', ''];

/** @throws an error like SQLite's if another program writes meanwhile */
async function copyInto(folder: string, file: string): Promise<string> {
  const copy = join(folder, basename(file));
  const version = commitVersion(file);
  for (const part of PARTS) {
    await copyFile(`${file}${part}`, `${copy}${part}`, constants.COPYFILE_FICLONE).catch((error: unknown) => {
      if (part === '' || errnoOf(error) !== 'ENOENT') throw error;
    });
  }
  if (version !== commitVersion(file)) throw new Database.SqliteError('changed while copied', 'SQLITE_BUSY');
  if (!existsSync(`${copy}-journal`)) return copy;
  // Reading it writable rolls back what a crash left half written.
  const database = new Database(copy);
  try {
    database.pragma('schema_version');
  } finally {
    database.close();
  }
  return copy;
}

/** Where SQLite counts commits: in the header of the database, of its logs, and of the index of the write-ahead log. */
const COUNTED = [
  { suffix: '', from: 0, to: 100, hasStableFile: true },
  { suffix: '-journal', from: 0, to: 28, hasStableFile: true },
  { suffix: '-wal', from: 0, to: 32, hasStableFile: true },
  // Only what is committed: the first reader after a crash builds the rest again.
  { suffix: '-shm', from: 16, to: 40, hasStableFile: false },
] as const;

/**
 * Differs after each commit; undefined if that cannot be read. Ask before a transaction begins: then the transaction reads this
 * version or a newer one.
 */
export function commitVersion(file: string): string | undefined {
  try {
    return COUNTED.map(({ suffix, from, to, hasStableFile }) => {
      if (!existsSync(`${file}${suffix}`)) return '';
      const { bytes, ino, size, mtimeNs } = startOf(`${file}${suffix}`, to);
      if (bytes.length === 0) return '';
      return `${hasStableFile ? `${ino}:${size}:${mtimeNs}:` : ''}${bytes.toString('base64', from)}`;
    }).join(' ');
  } catch {
    // Another program can lock or remove the files at any time. Without a version, no day is kept.
    return undefined;
  }
}
