import { type LogNotify, openLogNotify } from '../log-notify.ts';
import { type LogNotifyOptions, logNotifyOptions } from '../options.ts';

const { config, file, filter } = logNotifyOptions.schema.shape;

/** The server's own settings, for commands that read or write what it does. */
export const serverSettings = {
  filter,
  config: config.meta({ ...config.meta(), description: 'TOML file of the server.' }),
  file,
};

/**
 * Opens the sinks, runs the work and waits for all deliveries, retries included.
 *
 * @param note receives one sentence per failed sink
 * @returns the failure of each sink whose last delivery failed
 */
export async function deliverAll(
  options: LogNotifyOptions,
  note: (line: string) => void,
  work: (logNotify: LogNotify) => Promise<unknown>,
): Promise<ReadonlyMap<string, string>> {
  await using logNotify = openLogNotify({ ...options, report: note });
  // The timers of retries do not keep the process alive.
  const alive = setInterval(() => undefined, 60_000);
  try {
    await work(logNotify);
    const failures = await logNotify.settled();
    for (const [sink, failure] of failures) note(`${sink}: ${failure}`);
    return failures;
  } finally {
    clearInterval(alive);
  }
}
