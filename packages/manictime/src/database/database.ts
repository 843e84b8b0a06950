import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Problem } from '../problem.ts';
import { retryWhileBusy } from './busy-retry.ts';
import { databaseProblem, isUnreadableInPlace } from './failures.ts';
import type { Handle } from './handle.ts';
import type { Snapshot } from './snapshot.ts';

export const DATABASE_NAME = 'ManicTimeReports.db';

/** Reads ManicTime's database, and never writes to it. */
export interface ActivityDatabase {
  /**
   * Runs synchronous work on one consistent state. The file is open for that long: ManicTime may replace it
   * between calls.
   *
   * @throws Problem where it can't be read
   */
  read<T>(work: (snapshot: Snapshot) => T, signal?: AbortSignal): Promise<T>;
  /** The file, whether it is there or not. */
  file(): Promise<string>;
  close(): Promise<void>;
}

/** @param folder resolves with the folder that holds the database */
export function openActivityDatabase(folder: () => Promise<string>): ActivityDatabase {
  let engine: Promise<Engine> | undefined;
  const file = async () => databaseIn(await folder());
  return {
    file,
    async read(work, signal) {
      const path = await file();
      engine ??= loadEngine();
      const loaded = await engine;
      try {
        return await readOnce(loaded, path, work, signal);
      } catch (error) {
        throw databaseProblem(error);
      }
    },
    async close() {
      (await engine)?.copies.remove();
    },
  };
}

type Engine = Awaited<ReturnType<typeof loadEngine>>;

/** SQLite loads with the first call. */
async function loadEngine() {
  const [{ KeptLayout, openHandle, PrivateCopies }, { Snapshot }] = await Promise.all([
    import('./handle.ts'),
    import('./snapshot.ts'),
  ]);
  return { openHandle, Snapshot, layouts: new KeptLayout(), copies: new PrivateCopies() };
}

async function readOnce<T>(
  engine: Engine,
  path: string,
  work: (snapshot: Snapshot) => T,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) throw notFound();
  const attempt = (file: string) => retryWhileBusy(() => inTransaction(engine, file, work), signal);
  try {
    return await attempt(path);
  } catch (error) {
    if (!isUnreadableInPlace(error)) throw error;
    return attempt(await engine.copies.of(path));
  }
}

function inTransaction<T>(
  { openHandle, layouts, Snapshot }: Engine,
  file: string,
  work: (snapshot: Snapshot) => T,
): T {
  const handle: Handle = openHandle(file);
  try {
    handle.database.exec('BEGIN');
    return work(new Snapshot(handle.database, layouts.of(handle)));
  } finally {
    handle.close();
  }
}

/** Portable installations keep it one folder below. */
function databaseIn(folder: string): string {
  const candidates = [join(folder, DATABASE_NAME), join(folder, 'Data', DATABASE_NAME)];
  return (
    candidates.find((file) => statSync(file, { throwIfNoEntry: false })?.isFile()) ??
    join(folder, DATABASE_NAME)
  );
}

function notFound(): Problem {
  return new Problem({
    code: 'DATABASE_NOT_FOUND',
    error: `There is no ${DATABASE_NAME} in the data folder.`,
    hint: 'Start ManicTime once, or point --data-dir (MANICTIME_DATA_DIR) at the folder that holds it; manictime://config says which folder was used.',
  });
}
