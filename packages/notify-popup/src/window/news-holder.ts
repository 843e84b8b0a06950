import { join } from 'node:path';
import { parseObject, type Scheduler, systemClock } from '@deskside/core/base';
import { greet, hold, type HolderPlace, latestRecord, sendLine } from '@deskside/desktop';

/** The name of a file with news, in the folder of the helper's place. */
const NEWS_FILE = /^news-[0-9a-f-]{36}\.json$/;
/** A helper that works answers within this time. */
const ANSWER_TIMEOUT_MS = 200;

/** @returns true if a helper runs and shows the news in this file */
export async function giveToHelper(place: HolderPlace, file: string, clock: Scheduler): Promise<boolean> {
  const limit = new AbortController();
  const cancelTimer = clock.after(ANSWER_TIMEOUT_MS, () => limit.abort());
  try {
    const { record } = latestRecord(place);
    const greeting = record && (await greet(record, { file }, parseObject, limit.signal));
    greeting?.socket.destroy();
    return greeting !== undefined;
  } catch {
    // It does not answer: a new helper takes over.
    return false;
  } finally {
    cancelTimer();
  }
}

/**
 * Shows the news in a file, and in the files that other servers send meanwhile, and ends with the last window. One
 * helper runs per user: if there is one, it gets the file.
 *
 * @param file its name in the folder of the place
 * @param show shows the news in the file with this path
 */
export async function runHelper(
  place: HolderPlace,
  file: string,
  show: (path: string) => Promise<void>,
  clock: Scheduler = systemClock,
): Promise<void> {
  const open = new Set<Promise<void>>();
  const accept = (name: string) => {
    const shown = show(join(place.folder, name))
      // The news of other servers stays on the screen.
      .catch(() => undefined)
      .finally(() => open.delete(shown));
    open.add(shown);
  };
  const become = (number: number) =>
    hold(place, number, {
      accept({ file: name }, socket) {
        if (typeof name !== 'string' || !NEWS_FILE.test(name)) return socket.destroy();
        accept(name);
        sendLine(socket, { accepted: name });
        return socket.end();
      },
    });
  for (;;) {
    const { number } = latestRecord(place);
    if (await giveToHelper(place, file, clock)) return;
    const holding = await become(number + 1);
    // Another helper was faster.
    if (holding === undefined) continue;
    accept(file);
    while (open.size > 0) await Promise.all(open);
    return holding.stop();
  }
}
