import type { Log, LogFields } from '../../log.ts';

/** Logs promises that are rejected without a handler, until the server has closed. They do not end the process. */
export function logRejections(closed: Promise<void>, log: Log, fields: () => LogFields = () => ({})): void {
  const report = (error: unknown) => log.error('unhandled rejection', { ...fields(), error });
  process.on('unhandledRejection', report);
  const stop = () => process.off('unhandledRejection', report);
  closed.then(stop, stop);
}
