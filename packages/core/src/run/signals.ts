import type { Log } from '../log/log.ts';
import type { Serving } from '../serving/serving.ts';

/** Milliseconds after which the process goes, whatever still hangs: from a signal, and from the last answer. */
const SIGNAL_LIMIT_MS = 1900;
const CLEANUP_LIMIT_MS = 400;

/** Ties the process to the server: a signal closes it, and when it is closed and cleaned up the process ends. */
export function endOnSignals(serving: Serving, cleanedUp: Promise<void>, log: Log): void {
  const end = () => {
    exitAfter(SIGNAL_LIMIT_MS);
    serving.close().catch((error: unknown) => log.error('not closed cleanly', { error }));
  };
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
  void serving.closed.then(() => exitAfter(CLEANUP_LIMIT_MS));
  cleanedUp.then(
    () => process.exit(0),
    (error: unknown) => {
      log.error('not closed cleanly', { error });
      process.exit(1);
    },
  );
}

function exitAfter(ms: number): void {
  setTimeout(() => process.exit(1), ms).unref();
}
