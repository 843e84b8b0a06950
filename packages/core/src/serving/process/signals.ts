import { systemClock } from '../../base/clock.ts';
import type { StartError } from '../../errors/index.ts';
import type { Log, LogFields } from '../../log.ts';
import { standardError } from './standard-streams.ts';
import { followTimeZone } from './time-zone.ts';

/** Time from a signal to the last answer. */
const SIGNAL_LIMIT_MS = 1500;
/**
 * Time from the last answer to the forced exit: for a window that hangs, and folders on a slow disk.
 * Clients kill a process 4 s after they have closed its input.
 */
const CLEANUP_LIMIT_MS = 3500;

/** Something that runs until it is closed. */
export interface Closable {
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** What else belongs to the life of a process. */
export interface ProcessOptions {
  /** For the log entry of a rejection. It is called in the asynchronous context of the promise. */
  readonly rejectionFields?: (() => LogFields) | undefined;
}

/**
 * Lets a server decide about the life of this process: SIGTERM and SIGINT close the server, the process exits when it
 * has closed and cleaned up, a rejection without a handler is logged instead of ending the process, and local times are
 * those of the time zone that the machine is in.
 *
 * @param cleanedUp resolves when everything that the server used is closed
 */
export function ownProcess(
  server: Closable,
  cleanedUp: Promise<void>,
  log: Log,
  { rejectionFields }: ProcessOptions = {},
): void {
  logRejections(cleanedUp, log, rejectionFields);
  endOnSignals(server, cleanedUp, log);
  followTimeZone(process.env, systemClock);
}

/** Logs promises that are rejected without a handler, until the server has closed. They do not end the process. */
function logRejections(closed: Promise<void>, log: Log, fields: () => LogFields = () => ({})): void {
  const report = (error: unknown) => log.error('unhandled rejection', { ...fields(), error });
  process.on('unhandledRejection', report);
  const stop = () => process.off('unhandledRejection', report);
  closed.then(stop, stop);
}

/** If no code handles the error, the process ends with one line on stderr and exit code 1. */
export function endWithLine(error: StartError): void {
  process.once('uncaughtException', (thrown) => {
    if (thrown !== error) throw thrown;
    standardError().write(`${error.message}\n`);
    process.exit(1);
  });
}

function endOnSignals(server: Closable, cleanedUp: Promise<void>, log: Log): void {
  const end = () => {
    exitAfter(SIGNAL_LIMIT_MS + CLEANUP_LIMIT_MS);
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
