import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import Database from 'better-sqlite3';
import { type Layout, readLayout } from './layout.ts';

/** Milliseconds for which SQLite itself may block the process. */
const BLOCKING_TIMEOUT_MS = 50;

/** A database file opened for reading, for the time of one call. */
export interface Handle {
  readonly database: Database.Database;
  close(): void;
}

/**
 * Opens for reading and nothing else. SQLite puts its own `-wal` and `-shm` files beside a database in WAL
 * mode; where it may not, {@link privateCopy} helps.
 */
export function openHandle(file: string): Handle {
  const database = new Database(file, { readonly: true, fileMustExist: true, timeout: BLOCKING_TIMEOUT_MS });
  try {
    database.pragma('query_only = ON');
    // Reads the first page: what is no database, or can't be read in place, fails here.
    database.pragma('schema_version');
    return { database, close: () => void database.close() };
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * A copy in a folder of our own, for a database in WAL mode on a medium that can't be written to. It is kept
 * while the original stays the same.
 */
export class PrivateCopies {
  #kept: { readonly version: string; readonly folder: string; readonly file: string } | undefined;

  async of(file: string): Promise<string> {
    const version = fileVersion(file);
    if (this.#kept?.version === version) return this.#kept.file;
    this.remove();
    const folder = mkdtempSync(join(tmpdir(), 'deskside-manictime-copy-'));
    const copy = join(folder, basename(file));
    this.#kept = { version, folder, file: copy };
    await copyFile(file, copy);
    await copyFile(`${file}-wal`, `${copy}-wal`).catch(ignoreMissing);
    return copy;
  }

  remove(): void {
    if (this.#kept !== undefined) rmSync(this.#kept.folder, { recursive: true, force: true });
    this.#kept = undefined;
  }
}

/** Probed once for each state of the schema: the probe costs more than most queries. */
export class KeptLayout {
  #kept: { readonly version: string; readonly layout: Layout } | undefined;

  of({ database }: Handle): Layout {
    const schema = String(database.pragma('schema_version', { simple: true }));
    const version = `${database.name}\n${statSync(database.name).ino}\n${schema}`;
    if (this.#kept?.version !== version) this.#kept = { version, layout: readLayout(database) };
    return this.#kept.layout;
  }
}

function fileVersion(file: string): string {
  return [file, `${file}-wal`]
    .map((path) => statSync(path, { throwIfNoEntry: false }))
    .map((stats) => (stats === undefined ? '' : `${stats.ino}:${stats.size}:${stats.mtimeMs}`))
    .join(' ');
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}
