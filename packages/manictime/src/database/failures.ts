import { Problem } from '../problem.ts';

const PASSING = /^SQLITE_(BUSY|LOCKED|PROTOCOL)/;
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB)/;

/** Whether another connection is in the way, so that the same work may succeed later. */
export function isBusy(error: unknown): boolean {
  return PASSING.test(errorCode(error));
}

/** Whether the folder or the medium does not let SQLite put its side files beside the database. */
export function isUnreadableInPlace(error: unknown): boolean {
  return /^SQLITE_(CANTOPEN|READONLY|IOERR|PERM|AUTH)/.test(errorCode(error));
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** What SQLite failed with, as a problem; anything else comes back as it is. */
export function databaseProblem(error: unknown): unknown {
  const code = errorCode(error);
  if (PASSING.test(code)) {
    return new Problem(
      {
        code: 'BUSY',
        error: 'The ManicTime database is locked by another program.',
        hint: 'Make the same call again in a few seconds; if it stays so, ask the person to restart ManicTime.',
      },
      { cause: error },
    );
  }
  if (DAMAGED.test(code)) {
    return new Problem(
      {
        code: 'DATABASE_DAMAGED',
        error: 'The ManicTime database is damaged, or is no SQLite database.',
        hint: 'Tell the person; ManicTime can restore one of its backups. Read manictime://health for details.',
      },
      { cause: error },
    );
  }
  if (!/^(SQLITE_|EACCES|EPERM|EIO|ENOENT)/.test(code)) return error;
  return new Problem(
    {
      code: 'UNAVAILABLE',
      error: 'The ManicTime database cannot be read.',
      hint: "Check that this account may read ManicTime's folder; manictime://health says which one it is.",
    },
    { cause: error },
  );
}
