import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createLog, folders } from '@deskside/core';
import { systemClock } from './delivery/clock.ts';
import type { Receipt, Switchboard } from './delivery/switchboard.ts';
import type { Spoken } from './message/notification.ts';
import type { LogNotifyOptions } from './options.ts';
import { standardError } from './platform/this-process.ts';

/** What the tool and the prompts use. Disposing of it delivers what waits, for at most 0.3 s. */
export interface LogNotify extends AsyncDisposable {
  /** Hands a notification to every sink that is to have it. Never rejects, and never waits for a sink. */
  notify(spoken: Spoken): Promise<Receipt>;
  /** Resolves when nothing is on its way; the sinks whose last try failed, each with why. */
  settled(): Promise<ReadonlyMap<string, string>>;
}

/**
 * Opens nothing yet: configuration and sinks are opened by the first notification. Only a configuration that is
 * named and not there is told at once.
 */
export function openLogNotify(options: LogNotifyOptions = {}): LogNotify {
  const report = options.report ?? reportOnStandardError;
  const { config } = options;
  const isMissing = config !== undefined && !existsSync(config);
  if (isMissing) report(`${config}: there is no such file. Until there is, the defaults hold.`);
  let opened: Promise<Switchboard> | undefined;
  const open = () => (opened ??= openSwitchboard(options, report, isMissing));
  return {
    async notify(spoken) {
      try {
        return (await open()).notify(spoken);
      } catch (error) {
        report(`A notification was not delivered: ${error instanceof Error ? error.message : String(error)}`);
        return { delivered: [], suppressed: {} };
      }
    },
    settled: async () => (await opened)?.settled() ?? new Map(),
    [Symbol.asyncDispose]: async () => (await opened)?.close(),
  };
}

/** Where things are when nobody says otherwise. */
export function defaultPaths(): { readonly config: string; readonly file: string } {
  const { config, state } = folders();
  return { config: join(config, 'log-notify.toml'), file: join(state, 'notify.jsonl') };
}

async function openSwitchboard(
  { config, filter, file }: LogNotifyOptions,
  report: (sentence: string) => void,
  isTold: boolean,
): Promise<Switchboard> {
  const [{ Switchboard }, { openSink }] = await Promise.all([
    import('./delivery/switchboard.ts'),
    import('./sinks/open-sink.ts'),
  ]);
  const defaults = defaultPaths();
  return new Switchboard({
    config: config ?? defaults.config,
    mustExist: config !== undefined && !isTold,
    overrides: { filter, file },
    defaultFile: defaults.file,
    clock: systemClock,
    open: openSink,
    report,
  });
}

function reportOnStandardError(sentence: string): void {
  createLog({ level: 'warn', write: (line) => standardError().write(line) }).warn(sentence);
}
