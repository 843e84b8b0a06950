import { existsSync } from 'node:fs';
import { platform } from 'node:os';
import { createLog } from '@deskside/core';
import {
  idleMs,
  type Journal,
  noJournal,
  ownUid,
  Quiet,
  watchReturn,
  withoutContent,
  withUserJournal,
} from '@deskside/desktop';
import { systemClock } from '@deskside/core/base';
import { thisProcess } from '@deskside/core/program';
import { messageOf } from '@deskside/core/errors';
import { servicesFrom } from './config/plan.ts';
import type { Dispatcher } from './delivery/dispatcher.ts';
import { Missed } from './delivery/missed.ts';
import { openDeliveries } from './delivery/open-deliveries.ts';
import type { Receipt } from './delivery/receipt.ts';
import type { NotificationInput } from './notification/notification.ts';
import { type LogNotifyOptions, pathsFor } from './options.ts';
import type { ConfiguredSink } from './sinks/define-sink.ts';

/** Time after the start at which the leftovers of ended processes are looked for: the first answers come before it. */
const CLAIM_DELAY_MS = 200;

/** The opened sinks. Disposing delivers the queues for at most 3 s and leaves the rest to the next start. */
export interface LogNotify extends AsyncDisposable {
  readonly journal: Journal;
  /** Stores a notification and queues it for every sink. Never rejects, and does not wait for any sink that works. */
  notify(input: NotificationInput): Promise<Receipt>;
  /** One line about what a caller sent earlier and the person has not seen; undefined if nothing was missed. */
  missed(limitKey: string): Promise<string | undefined>;
  /** Resolves when nothing on the desktop waits for a click. */
  clicked(): Promise<void>;
  /** Resolves when each sink has delivered what waits, or failed. */
  settled(): Promise<void>;
  /** Does what disposing does. Resolves with the reason of each sink that did not get everything. */
  finish(): Promise<ReadonlyMap<string, string>>;
  /** The sinks of the present configuration; undefined if nothing was configured. */
  sinks(): Promise<readonly ConfiguredSink[] | undefined>;
  /** Calls back after each reload of the configuration. */
  onReload(listener: () => void): void;
}

/** What only programs choose that use log-notify as a library. */
interface LogNotifySurroundings {
  /**
   * Where it records each notification. Default: nowhere. What is accepted and not delivered yet is in its database, or
   * else in that of the user.
   */
  readonly journal?: Journal;
  /** True if a file keeps what this process writes to stderr: notifications do not go there. Default: false. */
  readonly isStderrLog?: boolean;
  /** Receives one sentence when a sink fails or a setting is invalid. Default: a line on stderr. */
  readonly report?: (sentence: string) => void;
}

/**
 * Opens the configuration and the sinks at the first notification, or soon if a server that has ended left
 * notifications. Only a missing configuration that the options name is reported at once.
 */
export function openLogNotify(
  options: LogNotifyOptions = {},
  { journal: given = noJournal, isStderrLog = false, report = reportOnStderr }: LogNotifySurroundings = {},
): LogNotify {
  const { config, filter, file, history = true } = options;
  const journal = history ? given : withoutContent(given);
  const isMissing = config !== undefined && !existsSync(config);
  if (isMissing) report(`${config} does not exist. The defaults apply until it is created.`);
  const { services, problems } = servicesFrom(options);
  for (const problem of problems) report(problem);
  const listeners = new Set<() => void>();
  const onReload = () => {
    for (const listener of listeners) listener();
  };
  const missed = new Missed(journal);
  let dispatcher: Promise<Dispatcher> | undefined;
  const open = () => (dispatcher ??= openDispatcher());
  // Without a history, the home folder has no text, also if a server is killed before it delivers.
  const { deliveries, end } = openDeliveries(history ? journal.database : 'unrecorded', report);
  const claimLeftovers = () => {
    if (!deliveries.mayBeFree) return;
    open().catch((error: unknown) => {
      report(`Notifications of earlier sessions were not delivered: ${messageOf(error)}`);
    });
  };
  const cancelClaim = systemClock.after(CLAIM_DELAY_MS, claimLeftovers, { isBackground: true });
  // If it could not be opened, that was reported.
  const running = async () => dispatcher?.catch(() => undefined);
  let endWatch: (() => void) | undefined;
  return {
    journal,
    async notify(input) {
      try {
        const opened = await open();
        const receipt = await opened.notify(input);
        const { id, limitKey } = input;
        // Only the sinks that tell can say that something was not seen.
        const isWatched = receipt.delivered.length > 0 && opened.tellSeen(receipt.delivered);
        if (id !== undefined && limitKey !== undefined && isWatched) {
          missed.watch(id, { ...input, time: systemClock.now().getTime() }, limitKey);
        }
        return receipt;
      } catch (error) {
        report(`A notification was not delivered: ${messageOf(error)}`);
        return { delivered: [], unseen: {}, suppressed: { 'all sinks': 'unavailable' } };
      }
    },
    missed: (limitKey) => missed.sentence(limitKey, systemClock.now()),
    clicked: async () => (await running())?.clicked(),
    settled: async () => (await running())?.settled(),
    async sinks() {
      const file = config ?? knownPaths(options)?.config;
      const isConfigured = Object.keys(services).length > 0 || (file !== undefined && existsSync(file));
      return isConfigured ? (await open()).plans : undefined;
    },
    onReload: (listener) => void listeners.add(listener),
    finish,
    // If it could not be opened, that was reported, and there is nothing to close.
    [Symbol.asyncDispose]: async () => void (await finish().catch(() => undefined)),
  };

  async function finish(): Promise<ReadonlyMap<string, string>> {
    cancelClaim();
    endWatch?.();
    try {
      return (await (await dispatcher)?.close()) ?? new Map();
    } finally {
      await end();
    }
  }

  async function openDispatcher(): Promise<Dispatcher> {
    const [{ Dispatcher }, { sinkHost }] = await Promise.all([
      import('./delivery/dispatcher.ts'),
      import('./sinks/host.ts'),
    ]);
    const defaults = pathsFor(options);
    const { stderr, env } = thisProcess();
    const quiet = new Quiet(journal, systemClock);
    const quietMs = (caller?: string) => {
      endWatch ??= watchReturn(quiet, { idleMs: ownIdleMs, clock: systemClock });
      return quiet.leftMs(caller);
    };
    const host = sinkHost({
      stderr,
      env,
      report,
      quietMs,
      seen: (all) => all.forEach((each) => missed.onSeen(each)),
    });
    return new Dispatcher({
      config: config ?? defaults.config,
      mustExist: config !== undefined && !isMissing,
      overrides: { filter, file, history, services, isStderrLog },
      defaultFile: defaults.file,
      clock: systemClock,
      deliveries,
      open: ({ definition, settings }) => definition.open(settings, host),
      report,
      onQuietHours: (hours) => quiet.keepHours(hours),
      onReload,
      isSeen: async (id) => missed.isSeen(id),
      idleMs: ownIdleMs,
    });
  }
}

/** As far as the platform tells. */
export async function ownIdleMs(): Promise<number | undefined> {
  const { env } = thisProcess();
  return idleMs({ env, platform: platform(), home: env['HOME'] ?? '', uid: ownUid() });
}

/** @returns undefined without a home folder */
function knownPaths(options: LogNotifyOptions): ReturnType<typeof pathsFor> | undefined {
  try {
    return pathsFor(options);
  } catch {
    return undefined;
  }
}

function reportOnStderr(sentence: string): void {
  createLog({ level: 'warn', write: (line) => thisProcess().stderr.write(line) }).warn(sentence);
}

/** For the program: it records in the journal of this user. */
export const openWithJournal = withUserJournal((options: LogNotifyOptions, given) =>
  openLogNotify(options, given),
);
