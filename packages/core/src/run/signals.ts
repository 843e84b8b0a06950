import type { Log } from '../log/log.ts';

/** Time from a signal to the last answer. */
const SIGNAL_LIMIT_MS = 1500;
/** Default time from the last answer to the forced exit. */
const CLEANUP_LIMIT_MS = 400;

/** Something that runs until it is closed. */
export interface Closable {
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/**
 * Closes the server on SIGTERM and SIGINT, and exits when the server has closed and cleaned up.
 *
 * @param cleanupMs time from the last answer to the forced exit
 */
export function endOnSignals(
  server: Closable,
  cleanedUp: Promise<void>,
  log: Log,
  cleanupMs: number = CLEANUP_LIMIT_MS,
): void {
  const end = () => {
    exitAfter(SIGNAL_LIMIT_MS + cleanupMs);
    server.close().catch((error: unknown) => log.error('server not closed cleanly', { error }));
  };
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
  void server.closed.then(() => exitAfter(cleanupMs));
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
