import { once } from 'node:events';
import { watch } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errnoOf, messageOf, StartError } from '@deskside/core/errors';

/** Some file systems report no changes. */
const LOOK_INTERVAL_MS = 1000;

/** A place in a file, and the file: the log may have begun a new one. */
export interface Position {
  /** Undefined if the file does not exist. */
  readonly inode: number | undefined;
  readonly offset: number;
}

/** Calls as JSON lines, and where the next ones begin. */
export interface Calls {
  readonly lines: readonly string[];
  readonly next: Position;
}

const NOTHING: Calls = { lines: [], next: { inode: undefined, offset: 0 } };

/** The last calls, the oldest first. */
export async function lastCalls(file: string, count: number): Promise<Calls> {
  const { lines, next } = (await readFrom(file, 0)) ?? NOTHING;
  const missing = count - lines.length;
  const earlier = missing > 0 ? ((await readFrom(`${file}.1`, 0)) ?? NOTHING).lines.slice(-missing) : [];
  return { lines: [...earlier, ...(count === 0 ? [] : lines.slice(-count))], next };
}

/** Waits for calls after a position, and yields each, until the signal is aborted. */
export async function* newCalls(file: string, from: Position, signal: AbortSignal): AsyncGenerator<string> {
  let position = from;
  while (!signal.aborted) {
    using change = nextChange(file, signal);
    const { lines, next } = await callsSince(file, position);
    position = next;
    yield* lines;
    if (lines.length === 0) await change.promise;
  }
}

async function callsSince(file: string, position: Position): Promise<Calls> {
  const current = await readFrom(file, 0, position);
  if (current === undefined) return restOf(file, position);
  const { inode } = current.next;
  if (position.inode === undefined || inode === position.inode) return current;
  // The log has begun a new file: the rest of the earlier one first.
  const rest = await readFrom(`${file}.1`, position.offset);
  return { lines: [...(rest?.lines ?? []), ...current.lines], next: current.next };
}

/** The new lines of a file that has become the earlier file, while no other has begun. */
async function restOf(file: string, position: Position): Promise<Calls> {
  const earlier = await readFrom(`${file}.1`, 0, position);
  const isSame = earlier?.next.inode === position.inode;
  return earlier !== undefined && isSame ? earlier : { lines: [], next: position };
}

/**
 * Reads whole lines: another process may be writing the last one.
 *
 * @param known if the file is the known one, reading begins at its offset
 * @returns undefined if the file does not exist
 */
async function readFrom(file: string, offset: number, known?: Position): Promise<Calls | undefined> {
  try {
    await using handle = await open(file, 'r');
    const { ino } = await handle.stat();
    const start = known?.inode === ino ? known.offset : offset;
    const bytes = (await handle.readFile()).subarray(start);
    const end = bytes.lastIndexOf(0x0a) + 1;
    const lines = bytes.subarray(0, end).toString('utf8').split('\n').slice(0, -1);
    return { lines, next: { inode: ino, offset: start + end } };
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT') return undefined;
    if (code === undefined) throw error;
    throw new StartError(`${file} cannot be read: ${messageOf(error)}.`, { cause: error });
  }
}

interface Change extends Disposable {
  /** Resolves when something in the folder has changed, or when it is time to look anyway. */
  readonly promise: Promise<void>;
}

function nextChange(file: string, signal: AbortSignal): Change {
  const done = new AbortController();
  const waiting = AbortSignal.any([signal, done.signal, AbortSignal.timeout(LOOK_INTERVAL_MS)]);
  return {
    promise: changeIn(dirname(file), waiting),
    [Symbol.dispose]: () => done.abort(),
  };
}

async function changeIn(folder: string, waiting: AbortSignal): Promise<void> {
  try {
    await once(watch(folder, { signal: waiting }), 'change', { signal: waiting });
  } catch {
    // The folder does not exist yet, or the time is over.
    if (!waiting.aborted) await once(waiting, 'abort');
  }
}
