import { statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { HOUR } from '@deskside/core/dates';
import { type CodedFailure, errnoOf, nativeFailure, UserError } from '@deskside/core/errors';
import { commitVersion, leavesFiles, openReadOnly, PrivateCopies, type ReadableFile } from './connection.ts';
import { DATABASE_NAME, databaseFile, noTemporaryFolder } from './file.ts';
import { Layout } from './layout.ts';
import { type Checkpoint, Snapshot } from './snapshot.ts';

/** How long a call waits for a lock. SQLite's own busy timeout would block the whole process. */
const LOCK_TIMEOUT_MS = 3000;
const MIN_PAUSE_MS = 20;
const MAX_PAUSE_MS = 100;

export type ActivityDatabase = ReturnType<typeof openActivityDatabase>;

/**
 * ManicTime's database, read-only. It blocks its thread.
 *
 * @param folder contains the database
 * @param lockTimeoutMs how long a call waits for a lock
 */
export function openActivityDatabase(folder: string, lockTimeoutMs: number = LOCK_TIMEOUT_MS) {
  const copies = new PrivateCopies();
  return {
    /**
     * Runs synchronous work in one read transaction. The file is open only during the call, so ManicTime can
     * replace it between calls.
     *
     * @param checkpoint also called before each attempt to get past a lock
     * @param nowSeconds UTC seconds: windows and states that end later cannot be
     * @throws UserError if the database cannot be read
     */
    async read<T>(
      work: (snapshot: Snapshot) => T,
      checkpoint?: Checkpoint,
      nowSeconds = Infinity,
    ): Promise<T> {
      const transaction = ({ file, version }: ReadableFile) => {
        checkpoint?.(0);
        const database = openReadOnly(file);
        try {
          database.exec('BEGIN');
          // A row that ends in the future is not one for ever.
          const state = version === undefined ? undefined : `${version}@${Math.floor(nowSeconds / HOUR)}`;
          return work(new Snapshot(new Layout(database), checkpoint, state, nowSeconds));
        } finally {
          database.close();
        }
      };
      try {
        const path = databaseFile(folder);
        if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) throw notFound();
        const attemptCopy = () =>
          retryWhileBusy(async () => transaction(await copies.of(path).catch(copyFailed)), lockTimeoutMs);
        if (leavesFiles(path)) return await attemptCopy();
        try {
          const inPlace = () => transaction({ file: path, version: commitVersion(path) });
          return await retryWhileBusy(inPlace, lockTimeoutMs);
        } catch (error) {
          if (!isUnreadableInPlace(error)) throw error;
          return await attemptCopy();
        }
      } catch (error) {
        throw asUserError(error);
      }
    },
    close: () => copies.remove(),
  };
}

function notFound(): UserError {
  return new UserError({
    code: 'DATABASE_NOT_FOUND',
    error: `The data folder contains no ${DATABASE_NAME}.`,
    hint: 'Start ManicTime once, or set MANICTIME_DATA_DIR (--data-dir) to the folder that contains the file. manictime://config shows the folder that was used.',
  });
}

/**
 * Retries database work while another program holds the lock. The event loop stays free between
 * attempts.
 *
 * @throws the last busy error, or the error of the work
 */
async function retryWhileBusy<T>(work: () => T | Promise<T>, timeoutMs: number): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!BUSY.test(errorCode(error)) || performance.now() >= deadline) throw error;
    }
    const pause = MIN_PAUSE_MS + Math.random() * (MAX_PAUSE_MS - MIN_PAUSE_MS);
    await delay(pause);
  }
}

/** Another connection holds a lock: the same work may succeed later. */
const BUSY = /^SQLITE_(BUSY|LOCKED|PROTOCOL)/;

/** What a code of SQLite or of the file system means for a caller. The first that fits. */
const FAILURES: readonly (readonly [codes: RegExp, failure: CodedFailure])[] = [
  [
    BUSY,
    {
      code: 'BUSY',
      error: 'The ManicTime database is locked by another program.',
      hint: 'Retry the call in a few seconds. If it still fails, restart ManicTime.',
    },
  ],
  [
    /^SQLITE_(CORRUPT|NOTADB)/,
    {
      code: 'DATABASE_DAMAGED',
      error: 'The ManicTime database is damaged or not a SQLite database.',
      hint: 'ManicTime can restore a backup. Read manictime://health for details.',
    },
  ],
  [
    /^(SQLITE_|EACCES|EPERM|EIO|ENOENT)/,
    {
      code: 'UNAVAILABLE',
      error: 'The ManicTime database cannot be read.',
      hint: "Check that this account can read ManicTime's data folder. manictime://health shows its path.",
    },
  ],
];

/** Whether SQLite cannot create its `-wal` and `-shm` files next to the database. */
function isUnreadableInPlace(error: unknown): boolean {
  return /^SQLITE_(CANTOPEN|READONLY|IOERR|PERM|AUTH)/.test(errorCode(error));
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** @throws UserError if not the database, but the folder for its copy is what is wrong */
function copyFailed(error: unknown): never {
  // All else that fails with such a code is the database: the folder of the copy is new.
  const isFolder = error instanceof Error && 'syscall' in error && error.syscall === 'mkdtemp';
  if ((!isFolder && asUserError(error) !== error) || errnoOf(error) === undefined) throw error;
  throw noTemporaryFolder(
    'The ManicTime database cannot be read in place, and no temporary copy of it could be made.',
    error,
  );
}

/** Maps errors of SQLite, its library and files to a {@link UserError}; returns others unchanged. */
function asUserError(error: unknown): unknown {
  const failure = FAILURES.find(([codes]) => codes.test(errorCode(error)))?.[1] ?? nativeFailure(error);
  return failure === undefined ? error : new UserError(failure, { cause: error });
}
