import { statSync } from 'node:fs';
import { join } from 'node:path';
import { nativeFailure, UserError } from '@deskside/core/errors';

export const DATABASE_NAME = 'ManicTimeReports.db';

/** Path of the database, which may not exist. Portable installations store it in a `Data` subfolder. */
export function databaseFile(folder: string): string {
  const candidates = [join(folder, DATABASE_NAME), join(folder, 'Data', DATABASE_NAME)];
  return (
    candidates.find((file) => statSync(file, { throwIfNoEntry: false })?.isFile()) ??
    join(folder, DATABASE_NAME)
  );
}

/** The error if a database cannot be made in the folder for temporary files: it is full, or missing. */
export function noTemporaryFolder(error: string, cause: unknown): UserError {
  const hint =
    'Free space in the folder for temporary files (TMPDIR, on Windows TEMP), or set it to a writable folder and restart the server.';
  return new UserError(nativeFailure(cause) ?? { code: 'UNAVAILABLE', error, hint }, { cause });
}
