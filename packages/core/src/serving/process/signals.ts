import { systemClock } from '../../base/clock.ts';
import type { StartError } from '../../errors/index.ts';
import type { Log, LogFields } from '../../log.ts';
import { standardError } from './standard-streams.ts';
import { followTimeZone } from './time-zone.ts';

/** Time from a signal to the last answer. */
const SIGNAL_LIMIT_MS = 1500;
/** Default time from the last answer to the forced exit. */
const CLEANUP_LIMIT_MS = 400;

/** Something that runs until it is closed. */
export interface Closable {
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** What else belongs to the life of a process. */
export interface ProcessOptions {
  /** For the log entry of a rejection. It is called in the asynchronous context of the promise. */
  readonly rejectionFields?: (() => LogFields) | undefined;
  /** Time from the last answer to the forced exit, in milliseconds. Default 400. */
  readonly cleanupMs?: number | undefined;
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
  { rejectionFields, cleanupMs = CLEANUP_LIMIT_MS }: ProcessOptions = {},
): void {
  logRejections(cleanedUp, log, rejectionFields);
  endOnSignals(server, cleanedUp, log, cleanupMs);
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

function endOnSignals(server: Closable, cleanedUp: Promise<void>, log: Log, cleanupMs: number): void {
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
