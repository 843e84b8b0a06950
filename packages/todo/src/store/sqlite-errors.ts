import { StoreUnavailable } from './store-failures.ts';

// SQLITE_PROTOCOL is a lost race between processes that start on the same WAL.
const passing = /^SQLITE_(BUSY|LOCKED|PROTOCOL)/;
const lasting = /^SQLITE_(CANTOPEN|CORRUPT|FULL|IOERR|NOMEM|NOTADB|PERM|READONLY)/;

/** Whether another connection is in the way, so that the same work may succeed later. */
export function isBusy(error: unknown): boolean {
  return passing.test(sqliteCode(error));
}

/** Turns what the disk or the file is to blame for into StoreUnavailable; other errors stay as they are. */
export function withStoreUnavailable(error: unknown): unknown {
  if (!lasting.test(sqliteCode(error))) return error;
  return new StoreUnavailable(`The task database failed: ${messageOf(error)}`, { cause: error });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** drizzle wraps some errors, so the code may belong to a cause. */
function sqliteCode(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string' && error.code.startsWith('SQLITE_'))
    return error.code;
  return sqliteCode(error.cause);
}
