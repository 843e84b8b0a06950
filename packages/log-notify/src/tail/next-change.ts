import { once } from 'node:events';
import { watch } from 'node:fs';

/** Some file systems report no changes, and a process that is killed changes nothing. */
const LOOK_INTERVAL_MS = 1000;

interface Change extends Disposable {
  /** Resolves when something in the folder has changed, or when it is time to look anyway. */
  readonly promise: Promise<void>;
}

/** The next change in a folder, which may not exist yet. Begin it before what changes is read. */
export function nextChange(folder: string, signal: AbortSignal): Change {
  const done = new AbortController();
  const waiting = AbortSignal.any([signal, done.signal, AbortSignal.timeout(LOOK_INTERVAL_MS)]);
  return { promise: changeIn(folder, waiting), [Symbol.dispose]: () => done.abort() };
}

async function changeIn(folder: string, waiting: AbortSignal): Promise<void> {
  try {
    const watcher = watch(folder, { signal: waiting });
    // Also after the change: without a listener an error ends the process.
    watcher.on('error', () => undefined);
    await once(watcher, 'change', { signal: waiting });
  } catch {
    // The folder does not exist yet, or the time is over.
    if (!waiting.aborted) await once(waiting, 'abort');
  }
}
