import { renameSync, rmSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { whileLocked } from '../files/lock.ts';
import { MIGRATIONS } from './migrations.ts';
import { fileSystemType, identityOf, prepareFile } from './places.ts';
import { openSqlite } from './sqlite.ts';

/** What SQLite stores beside the file. */
const PARTS = ['', '-wal', '-shm'];

/** The file was deleted, moved, replaced or taken over since it was opened. */
export class FileReplaced extends Error {}

/** The name of a state in a place that is not the first: another program has taken its content over. */
export const TAKEN = 'taken';
const IS_TAKEN = `SELECT name FROM states WHERE name = '${TAKEN}'`;

/** An open database. All methods throw what SQLite throws, at once if another process writes. */
export class Connection implements Disposable {
  readonly file: string;
  readonly database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #identity: string | undefined;
  /** Also false until there are tables. */
  #canBeTaken = false;
  #wal: string | undefined;

  /**
   * @param folder undefined: in the memory of this process
   * @param canBeTaken true for a fallback place: a process that can use the usual place moves the content there
   */
  constructor(folder: string | undefined, typeOf = fileSystemType, canBeTaken = false) {
    this.file = folder === undefined ? ':memory:' : prepareFile(folder, typeOf);
    this.#identity = this.#identityNow();
    this.database = openSqlite(this.file);
    try {
      this.database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON');
      this.#migrate();
      if (canBeTaken) this.database.exec(`DELETE FROM states WHERE name = '${TAKEN}'`);
      this.#canBeTaken = canBeTaken;
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /** False if the file was deleted, moved, replaced or taken over since it was opened. */
  get isCurrent(): boolean {
    if (this.#identityNow() !== this.#identity) return false;
    if (this.#wal !== undefined && this.#wal !== identityOf(`${this.file}-wal`)) return false;
    return !this.#canBeTaken || !this.#isTaken;
  }

  get #isTaken(): boolean {
    try {
      return this.statement(IS_TAKEN).get() !== undefined;
    } catch {
      // The next statement fails in the same way, where it is expected.
      return false;
    }
  }

  statement(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.database.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }

  /** Does all of the work, or nothing if it throws. No other process writes meanwhile. @throws FileReplaced */
  transaction(work: () => void): void {
    this.database.exec('BEGIN IMMEDIATE');
    try {
      if (!this.isCurrent) throw new FileReplaced();
      work();
      this.database.exec('COMMIT');
    } catch (error) {
      // Some failures have done it already.
      if (this.database.isTransaction) this.database.exec('ROLLBACK');
      throw error;
    }
    this.#wal ??= identityOf(`${this.file}-wal`);
  }

  [Symbol.dispose](): void {
    this.#statements.clear();
    this.database.close();
  }

  #identityNow(): string | undefined {
    return this.file === ':memory:' ? undefined : identityOf(this.file);
  }

  /** An older program uses what it knows of a newer schema. */
  #migrate(): void {
    if (this.#version >= MIGRATIONS.length) return;
    this.transaction(() => {
      for (const sql of MIGRATIONS.slice(this.#version)) this.database.exec(sql);
      this.database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
    });
  }

  get #version(): number {
    return Number(this.database.prepare('PRAGMA user_version').get()?.['user_version']);
  }
}

/**
 * Moves a damaged file away, with what SQLite stores beside it. Of several processes one does it.
 *
 * @param identity of the file that is damaged
 */
export async function moveAway(file: string, identity: string | undefined): Promise<void> {
  await whileLocked(file, async () => {
    if (identityOf(file) !== identity) return;
    for (const part of PARTS.toReversed()) {
      rmSync(`${damagedName(file)}${part}`, { force: true });
      if (identityOf(`${file}${part}`) !== undefined)
        renameSync(`${file}${part}`, `${damagedName(file)}${part}`);
    }
  });
}

export function damagedName(file: string): string {
  return `${file}.damaged`;
}
