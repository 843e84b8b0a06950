import type { CodedFailure } from '@deskside/core/errors';
import type { PrivacyPatterns } from '../analysis/privacy.ts';
import type { QueryName } from './catalog.ts';

/** The data that a query is about. */
export interface DataSources extends PrivacyPatterns {
  /** Contains the database. */
  readonly folder: string;
  readonly screenshots: string | undefined;
  /** Corrected kinds of programs: `NAME=KIND`. */
  readonly categories?: readonly string[];
  /** How long a query waits for a lock of another program. */
  readonly lockTimeoutMs?: number | undefined;
}

/** From the main thread. */
export type ThreadRequest =
  | {
      readonly query: QueryName;
      readonly input: unknown;
      readonly sources: DataSources;
      /** UTC seconds. */
      readonly nowSeconds: number;
      /** One 32-bit number: not 0 if the query is cancelled. */
      readonly cancelled: SharedArrayBuffer;
    }
  /** Removes what the thread stores for these sources. */
  | { readonly close: DataSources | 'all' };

export interface ThreadError {
  /** Of a `UserError` with a constant hint. */
  readonly failure?: Pick<CodedFailure, 'error' | 'code'> & { readonly hint: string };
  /** The error itself, or the cause of the failure. */
  readonly cause: unknown;
}
