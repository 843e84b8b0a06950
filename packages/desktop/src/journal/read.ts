import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemClock, nextChange, checkPrivate } from '@deskside/core/base';
import type { JournalFilter, JournalRecord } from './records.ts';
import { errnoOf, messageOf, StartError } from '@deskside/core/errors';
import { Fold, isWanted } from './fold.ts';
import { LINE_FEED, segmentNames } from './segments.ts';

/**
 * What all processes have written, the newest last. A folder that does not exist has no records.
 *
 * @throws StartError if the journal cannot be read, or if other users can use it
 */
export async function readJournal(
  folder: string,
  filter: JournalFilter = {},
  clock: Pick<Clock, 'now'> = systemClock,
): Promise<readonly JournalRecord[]> {
  const reader = new JournalReader(folder, clock);
  await reader.read();
  return reader.records(filter);
}

/**
 * Yields what `readJournal` returns, and then each record that has changed, until the signal is aborted. The limit of the
 * filter is that of the first value.
 *
 * @param since what ended before is not needed: most of it is left out, and takes little memory
 * @throws StartError as `readJournal`
 */
export async function* followJournal(
  folder: string,
  { limit, ...filter }: JournalFilter,
  signal: AbortSignal,
  clock: Pick<Clock, 'now'> = systemClock,
  since?: () => Date,
): AsyncGenerator<readonly JournalRecord[]> {
  const reader = new JournalReader(folder, clock, since);
  await reader.read();
  yield reader.records({ ...filter, limit });
  const open = new Set(reader.records({ isOpen: true }).map(({ id }) => id));
  while (!signal.aborted) {
    using change = nextChange(folder, signal);
    const changed = await reader.read();
    const candidates = [...new Set([...open, ...changed])].map((id) => reader.record(id));
    const news = candidates
      .filter((record) => record !== undefined)
      .filter(({ id, outcome }) => {
        const isNews = changed.has(id) || outcome !== undefined;
        if (outcome === undefined) open.add(id);
        else open.delete(id);
        return isNews;
      });
    const wanted = news.filter((record) => isWanted(record, filter));
    if (wanted.length > 0) yield wanted;
    else if (news.length === 0) await change.promise;
  }
}

/** Reads each line once. */
export class JournalReader {
  readonly #folder: string;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #since: (() => Date) | undefined;
  readonly #fold = new Fold();
  /** Where the next line begins, by segment. */
  readonly #ends = new Map<string, number>();
  #reading: Promise<ReadonlySet<string>> = Promise.resolve(new Set());

  /** @param since it may forget what ended before */
  constructor(folder: string, clock: Pick<Clock, 'now'>, since?: () => Date) {
    this.#folder = folder;
    this.#clock = clock;
    this.#since = since;
  }

  /** Reads what is new. @returns the ids of the items that it is about */
  read(): Promise<ReadonlySet<string>> {
    this.#reading = this.#readAfter(this.#reading);
    return this.#reading;
  }

  record(id: string): JournalRecord | undefined {
    return this.#fold.record(id, this.#clock.now());
  }

  records(filter: JournalFilter = {}): readonly JournalRecord[] {
    return this.#fold.records(filter, this.#clock.now());
  }

  async #readAfter(earlier: Promise<unknown>): Promise<ReadonlySet<string>> {
    await Promise.allSettled([earlier]);
    const changed = new Set<string>();
    const isFirst = this.#ends.size === 0;
    const names = segmentNames(this.#folder);
    for (const known of [...this.#ends.keys()].filter((name) => !names.includes(name))) {
      this.#ends.delete(known);
      this.#fold.forget(known);
    }
    for (const name of names) {
      const isNew = !this.#ends.has(name);
      for (const line of await this.#newLines(name)) {
        const id = this.#fold.add(line, name);
        if (id !== undefined) changed.add(id);
      }
      if (isNew && this.#since !== undefined)
        this.#fold.forgetEnded(this.#since(), name, isFirst ? new Set() : changed);
    }
    return changed;
  }

  /** Whole lines: a process may be writing the last one. */
  async #newLines(name: string): Promise<readonly string[]> {
    const file = join(this.#folder, name);
    const start = this.#ends.get(name) ?? 0;
    try {
      await using handle = await open(file, 'r');
      const stats = await handle.stat();
      checkPrivate(file, stats);
      const bytes = Buffer.alloc(Math.max(0, stats.size - start));
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, start);
      const end = bytes.lastIndexOf(LINE_FEED, bytesRead) + 1;
      this.#ends.set(name, start + end);
      return bytes
        .toString('utf8', 0, end)
        .split('\n')
        .filter((line) => line !== '');
    } catch (error) {
      const code = errnoOf(error);
      if (code === 'ENOENT') return [];
      // Of root, after `sudo`, or a bad sector: the other segments can be read.
      if (code === 'EACCES' || code === 'EIO') {
        this.#ends.set(name, start);
        return [];
      }
      if (code === undefined) throw error;
      throw new StartError(`${file} cannot be read: ${messageOf(error)}.`, { cause: error });
    }
  }
}
