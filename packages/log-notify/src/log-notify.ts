import { existsSync } from 'node:fs';
import { createLog } from '@deskside/core';
import { messageOf } from '@deskside/core/errors';
import { systemClock } from './delivery/clock.ts';
import type { Dispatcher, Receipt } from './delivery/dispatcher.ts';
import type { NotificationInput } from './notification/notification.ts';
import { defaultPaths, type LogNotifyOptions } from './options.ts';
import type { Host } from './sinks/open-sink.ts';

/** The opened sinks. Disposing delivers the queues for at most 0.3 s. */
export interface LogNotify extends AsyncDisposable {
  /** Queues a notification for every sink. Never rejects and does not wait for any sink. */
  notify(input: NotificationInput): Promise<Receipt>;
  /** Resolves when all queues are idle, with the failure of each sink whose last delivery failed. */
  settled(): Promise<ReadonlyMap<string, string>>;
}

/**
 * Opens the configuration and the sinks at the first notification. Only a missing configuration that the options name
 * is reported at once.
 */
export function openLogNotify(options: LogNotifyOptions = {}): LogNotify {
  const report = options.report ?? reportOnStderr;
  const { config } = options;
  const isMissing = config !== undefined && !existsSync(config);
  if (isMissing) report(`${config} does not exist. The defaults apply until it is created.`);
  let dispatcher: Promise<Dispatcher> | undefined;
  const open = () => (dispatcher ??= openDispatcher(options, report, isMissing));
  return {
    async notify(input) {
      try {
        return (await open()).notify(input);
      } catch (error) {
        report(`A notification was not delivered: ${messageOf(error)}`);
        return { delivered: [], suppressed: {} };
      }
    },
    settled: async () => (await dispatcher)?.settled() ?? new Map(),
    [Symbol.asyncDispose]: async () => (await dispatcher)?.close(),
  };
}

/** The stderr and the environment of this process. */
export function thisHost(): Host {
  // oxlint-disable-next-line no-restricted-globals -- the one place that hands the process to the sinks
  const { stderr, env } = process;
  // Without a listener, EPIPE would end the process. The callback of each write reports it to the sink.
  if (!stderr.listeners('error').includes(ignore)) stderr.on('error', ignore);
  return { stderr, env };
}

function ignore(): void {}

async function openDispatcher(
  { config, filter, file }: LogNotifyOptions,
  report: (sentence: string) => void,
  isMissingReported: boolean,
): Promise<Dispatcher> {
  const [{ Dispatcher }, { openSink }] = await Promise.all([
    import('./delivery/dispatcher.ts'),
    import('./sinks/open-sink.ts'),
  ]);
  const defaults = defaultPaths();
  const host = thisHost();
  return new Dispatcher({
    config: config ?? defaults.config,
    mustExist: config !== undefined && !isMissingReported,
    overrides: { filter, file },
    defaultFile: defaults.file,
    clock: systemClock,
    open: (target) => openSink(target, host),
    report,
  });
}

function reportOnStderr(sentence: string): void {
  createLog({ level: 'warn', write: (line) => thisHost().stderr.write(line) }).warn(sentence);
}
