import type { Log, LogFields } from '../log/log.ts';
import { logRejections } from './rejections.ts';

/** Time from a signal to the forced exit. */
const SIGNAL_LIMIT_MS = 1900;
/** Time from the last answer to the forced exit. */
const CLEANUP_LIMIT_MS = 400;

/** Something that runs until it is closed. */
export interface Closable {
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/**
 * Lets a server decide about the life of this process: SIGTERM and SIGINT close the server, the process exits when it
 * has closed and cleaned up, and a rejection without a handler is logged instead of ending the process.
 *
 * @param cleanedUp resolves when everything that the server used is closed
 * @param fields for the log entry of a rejection
 */
export function ownProcess(
  server: Closable,
  cleanedUp: Promise<void>,
  log: Log,
  fields?: () => LogFields,
): void {
  logRejections(cleanedUp, log, fields);
  endOnSignals(server, cleanedUp, log);
}

function endOnSignals(server: Closable, cleanedUp: Promise<void>, log: Log): void {
  const end = () => {
    exitAfter(SIGNAL_LIMIT_MS);
    server.close().catch((error: unknown) => log.error('server not closed cleanly', { error }));
  };
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
  void server.closed.then(() => exitAfter(CLEANUP_LIMIT_MS));
  cleanedUp.then(
    () => process.exit(0),
    (error: unknown) => {
      log.error('server not closed cleanly', { error });
      process.exit(1);
    },
  );
}

function exitAfter(ms: number): void {
  setTimeout(() => process.exit(1), ms).unref();
}
