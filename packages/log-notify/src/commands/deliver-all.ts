import { createLog } from '@deskside/core';
import { DEFAULT_USER, systemClock } from '@deskside/core/base';
import { openUserJournal } from '@deskside/desktop';
import type { Receipt } from '../delivery/receipt.ts';
import { within } from '../delivery/within.ts';
import { type LogNotify, openLogNotify } from '../log-notify.ts';
import type { NotificationInput } from '../notification/notification.ts';
import type { LogNotifyOptions } from '../options.ts';
import { fateOf } from '../tools/notify.ts';

/** Longer than a sink waits for its receiver, also on a busy machine. */
const SETTLE_TIMEOUT_MS = 15_000;

/**
 * Opens the sinks, runs the work and waits until each sink has delivered or failed. The next start of a server
 * or a command delivers the rest.
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
  let failures: ReadonlyMap<string, string> = new Map();
  try {
    await work(logNotify);
    await within(systemClock, SETTLE_TIMEOUT_MS, logNotify.settled());
  } finally {
    // Also of what was sent before the work failed.
    failures = await logNotify.finish().finally(() => clearInterval(alive));
    for (const [sink, failure] of failures) note(`${sink}: ${failure}`);
  }
  return failures;
}

/** Sends a notification of a command, and records it as the tool does. @param program the caller, if none is given */
export async function notifyOnRecord(
  logNotify: LogNotify,
  sent: NotificationInput,
  program: string,
): Promise<Receipt> {
  const { caller = program, project, session } = sent;
  const content = { text: sent.message, level: sent.level };
  const start = { kind: 'notification', caller, user: DEFAULT_USER, project, session, content } as const;
  const item = logNotify.journal.begin(start);
  const receipt = await logNotify.notify({ ...sent, id: item.id });
  item.end(fateOf(receipt).outcome);
  return receipt;
}
