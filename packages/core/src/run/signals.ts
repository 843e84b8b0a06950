import type { Log } from '../log/log.ts';

/** Time from a signal to the forced exit. */
const SIGNAL_LIMIT_MS = 1900;
/** Time from the last answer to the forced exit. */
const CLEANUP_LIMIT_MS = 400;

/** Something that runs until it is closed. */
export interface Closable {
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** Closes the server on SIGTERM and SIGINT, and exits when the server has closed and cleaned up. */
export function endOnSignals(server: Closable, cleanedUp: Promise<void>, log: Log): void {
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
