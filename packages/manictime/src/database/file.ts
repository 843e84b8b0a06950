import { statSync } from 'node:fs';
import { join } from 'node:path';

export const DATABASE_NAME = 'ManicTimeReports.db';

/** Path of the database, which may not exist. Portable installations store it in a `Data` subfolder. */
export function databaseFile(folder: string): string {
  const candidates = [join(folder, DATABASE_NAME), join(folder, 'Data', DATABASE_NAME)];
  return (
    candidates.find((file) => statSync(file, { throwIfNoEntry: false })?.isFile()) ??
    join(folder, DATABASE_NAME)
  );
}
