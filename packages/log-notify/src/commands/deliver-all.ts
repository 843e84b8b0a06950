import { createLog } from '@deskside/core';
import { openUserJournal } from '@deskside/core/cli';
import { type LogNotify, openLogNotify } from '../log-notify.ts';
import type { LogNotifyOptions } from '../options.ts';

/**
 * Opens the sinks, runs the work and delivers for at most 3 s. The next start of a server or a command delivers the
 * rest.
 *
 * @param note receives one sentence per problem
 * @returns for each sink that did not get everything, why
 */
export async function deliverAll(
  options: LogNotifyOptions,
  note: (line: string) => void,
  work: (logNotify: LogNotify) => Promise<unknown>,
): Promise<ReadonlyMap<string, string>> {
  await using journal = openUserJournal(createLog({ level: 'warn', write: note }));
  const logNotify = openLogNotify(options, { report: note, journal });
  // The timers of retries do not keep the process alive.
  const alive = setInterval(() => undefined, 60_000);
  try {
    await work(logNotify);
    const failures = await logNotify.finish();
    for (const [sink, failure] of failures) note(`${sink}: ${failure}`);
    return failures;
  } finally {
    clearInterval(alive);
  }
}
