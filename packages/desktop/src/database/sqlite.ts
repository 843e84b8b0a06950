import type { DatabaseSync } from 'node:sqlite';
// oxlint-disable-next-line eslint/no-restricted-imports -- loads a module without its warning
import process from 'node:process';
import { isObject } from '@deskside/core/base';
import { StartError } from '@deskside/core/errors';

/** Loads SQLite with the first use: most starts need none. Its `ExperimentalWarning` is not shown. */
export function openSqlite(file: string): DatabaseSync {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    const { DatabaseSync: Database } = process.getBuiltinModule('node:sqlite');
    // Without a wait: inside SQLite it would stop the event loop for as long as another process writes.
    return new Database(file, { timeout: 0 });
  } finally {
    process.emitWarning = emitWarning;
  }
}

export type SqliteFailure =
  /** Another process writes: the same works a little later. */
  | 'busy'
  /** The file is not a whole database of ours. */
  | 'damaged'
  /** The file or its folder cannot be used. */
  | 'place'
  /** A statement is wrong: a defect. */
  | 'defect';

const FAILURES: Readonly<Record<number, SqliteFailure>> = {
  /** SQLITE_ERROR: `no such table`. All our statements are fixed, so the schema is not ours. */
  1: 'damaged',
  5: 'busy',
  6: 'busy',
  11: 'damaged',
  26: 'damaged',
  /** SQLITE_TOOBIG, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_MISUSE, SQLITE_RANGE. */
  18: 'defect',
  19: 'defect',
  20: 'defect',
  21: 'defect',
  25: 'defect',
};

export function failureOf(error: unknown): SqliteFailure {
  const code = isObject(error) ? error['errcode'] : undefined;
  // The lowest byte is the kind of the error. Without a code it is of the system, or a StartError.
  if (typeof code === 'number') return FAILURES[code & 0xff] ?? 'place';
  return error instanceof StartError || (isObject(error) && 'syscall' in error) ? 'place' : 'defect';
}
