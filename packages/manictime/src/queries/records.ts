import { type Clock, systemClock } from '@deskside/core/base';
import { UserError } from '@deskside/core/errors';
import type { StoredShot } from '../screenshots/shot.ts';
import type { QueryInput, QueryName, QueryResult } from './catalog.ts';
import type { DataSources } from './protocol.ts';
import { type QueryCall, queryThread } from './query-thread.ts';

/** ManicTime's records: the database and the screenshots, read in another thread. */
export interface Records {
  /** @throws UserError if the data cannot be read */
  query<Name extends QueryName>(
    name: Name,
    input: QueryInput<Name>,
    call?: QueryCall,
  ): Promise<QueryResult<Name>>;
  close(): Promise<void>;
}

export interface RecordsOptions extends Omit<DataSources, 'folder' | 'screenshots'> {
  /** Where the data is. `folder` is undefined if it is not known (yet). */
  locate(): Promise<{ readonly folder: string | undefined; readonly screenshots: string | undefined }>;
  /** Thrown if the folder is not known. */
  notFound(): UserError;
  readonly clock?: Clock;
}

export function openRecords(options: RecordsOptions): Records {
  const { locate, notFound, exclude = [], redact = [], categories = [], lockTimeoutMs } = options;
  const { clock = systemClock } = options;
  let used: DataSources | undefined;
  return {
    async query<Name extends QueryName>(
      name: Name,
      input: QueryInput<Name>,
      call: QueryCall = {},
    ): Promise<QueryResult<Name>> {
      const { folder, screenshots } = await locate();
      if (folder === undefined) throw notFound();
      used = { folder, screenshots, exclude, redact, categories, lockTimeoutMs };
      return queryThread.run<Name>(name, input, used, call, clock.now().getTime() / 1000);
    },
    async close() {
      if (used !== undefined) await queryThread.forget(used);
    },
  };
}

/** @throws UserError NOT_FOUND if the reference is invalid, or the screenshot is deleted or private */
export async function requireShot(records: Records, reference: string, call: QueryCall): Promise<StoredShot> {
  const shot = await records.query('screenshot', { reference }, call);
  if (shot !== undefined) return shot;
  throw new UserError({
    code: 'NOT_FOUND',
    error: 'Unknown screenshotRef.',
    hint: (toolName) =>
      `Get valid screenshotRef values with ${toolName('list_screenshots')}. ManicTime deletes screenshots after some days.`,
  });
}
