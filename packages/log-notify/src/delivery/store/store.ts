import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  futimesSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@deskside/core/base';
import { errnoOf } from '@deskside/core/errors';
import type { Losses } from '../../notification/losses.ts';
import type { Notification } from '../../notification/notification.ts';
import { type Leftovers, leftoversIn, linesOf, type Route } from './leftovers.ts';
import { encode, type Origin, parseLines } from './lines.ts';
import { fileName, findOrphans, type Owner } from './orphans.ts';
import { type RecordFile, SinkRecords } from './sink-records.ts';

/** Above these limits, notifications wait in memory only. */
const MAX_WRITTEN = 10_000;
const MAX_WRITTEN_BYTES = 8 * 1024 * 1024;

/** The file is rewritten when it is larger than this and twice as large as what waits. */
const MIN_COMPACTED_BYTES = 1024 * 1024;

export interface StoreOptions {
  readonly folder: string;
  readonly owner: Owner;
  readonly clock: Pick<Clock, 'elapsedMs'>;
  /** Receives one sentence if something cannot be stored. */
  readonly report: (sentence: string) => void;
}

interface Stored {
  readonly notification: Notification;
  readonly bytes: number;
  /** Those that have not got it. */
  readonly sinks: Set<SinkRecords>;
  /** Not if the file is full, or could not be written. */
  isWritten: boolean;
}

/**
 * The notifications of this process that a sink has not got yet, and what each sink has to do with them: queues and
 * summaries only refer to them. What other processes need is in a file too. Each notification is written before its
 * call is answered. A later server takes over the file. The folder has mode 0700, the file 0600. No method throws:
 * without a file, everything is delivered from memory. See docs/decisions/0038.
 */
export class Store implements RecordFile {
  readonly #options: StoreOptions;
  readonly #name: string;
  readonly #sinks = new Set<SinkRecords>();
  readonly #stored = new Map<string, Stored>();
  #origins: Readonly<Record<string, Origin>> = {};
  #hasWrittenOrigins = false;
  /** Of what is written and waits. */
  #writtenBytes = 0;
  #writtenCount = 0;
  #fileBytes = 0;
  #file: number | undefined;
  #isTorn = false;
  /** Something could not be written: the file does not say all that waits, or too much. */
  #isIncomplete = false;
  #problem = '';

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#name = fileName(options.owner);
  }

  /** How many notifications wait, and how many of them only in memory. */
  get waiting(): { readonly count: number; readonly unwritten: number } {
    const count = this.#stored.size;
    return { count, unwritten: count - this.#writtenCount };
  }

  /** The part of a sink. */
  sink(key: string): SinkRecords {
    const records = new SinkRecords(key, this, this.#options.clock);
    this.#sinks.add(records);
    return records;
  }

  /** The sinks of the configuration file, by key. What waits may be for one that was there before. */
  know(origins: Readonly<Record<string, Origin>>): void {
    this.#origins = this.#isEmpty ? origins : { ...this.#origins, ...origins };
    this.#hasWrittenOrigins = false;
    if (!this.#isEmpty) this.#writeOrigins();
  }

  /** Writes a notification that sinks have. */
  accept(notification: Notification): void {
    const { id } = notification;
    const sinks = [...this.#sinks].filter((sink) => sink.isStored && sink.get(id) !== undefined);
    if (sinks.length === 0) return;
    const text = textOf(notification, sinks);
    const bytes = Buffer.byteLength(text);
    this.#release(id);
    const stored = { notification, bytes, sinks: new Set(sinks), isWritten: false };
    this.#stored.set(id, stored);
    if (!this.#hasRoom(bytes)) {
      this.#report('The spool is full. What arrives now is lost if the server is killed.');
      return;
    }
    this.#writeOrigins();
    // A rewrite of the file has counted it already.
    if (this.#append(text) && !stored.isWritten) this.#isInFile(stored);
  }

  done(sink: SinkRecords, ids: readonly string[]): void {
    const known = this.#settled(sink, ids);
    if (known.length > 0 && !this.#clearIfEmpty()) this.#append(encode({ done: known, sink: sink.key }));
  }

  lost(sink: SinkRecords, ids: readonly string[], lost: Losses): void {
    if (!sink.isStored) return;
    const done = this.#settled(sink, ids);
    this.#writeOrigins();
    this.#append(encode({ lost, sink: sink.key, done }));
  }

  reported(sink: SinkRecords): void {
    if (sink.isStored && !this.#clearIfEmpty()) this.#append(encode({ reported: sink.key }));
  }

  attempted(sink: SinkRecords, of: readonly string[], attempts: number): void {
    if (sink.isStored) this.#append(encode({ attempts, sink: sink.key, of }));
  }

  moved(sink: SinkRecords, from: string): void {
    if (sink.isStored) this.#append(encode({ moved: from, to: sink.key }));
  }

  /**
   * Takes over what servers that have ended left for sinks of this server. The rest stays for another server.
   *
   * @param accept stores what this server takes, before the file is deleted
   * @param byAge whether files without a change for long are taken too
   */
  claim(now: Date, route: Route, accept: (leftovers: Leftovers) => void, byAge = true): void {
    const { folder, owner } = this.#options;
    for (const orphan of findOrphans(folder, owner, new Date(), byAge)) {
      const claimedName = fileName(owner);
      const [original, claimed] = [join(folder, orphan), join(folder, claimedName)];
      const read = (path: string) => leftoversIn(parseLines(readFileSync(path, 'utf8')), now, route);
      try {
        if (!read(original).isWanted) continue;
        renameSync(original, claimed);
        // Another server may have taken its part in between.
        const leftovers = read(claimed);
        accept(leftovers);
        if (leftovers.rest.length > 0) {
          const { atime, mtime } = statSync(claimed);
          const text = leftovers.rest.map(encode).join('');
          this.#replace(original, text, (rest) => utimesSync(rest, atime, mtime));
        }
        rmSync(claimed, { force: true });
        owner.files.delete(claimedName);
      } catch (error) {
        // Another server was faster.
        if (errnoOf(error) !== 'ENOENT')
          this.#report(`The spool file ${orphan} cannot be read (${errnoOf(error)}).`);
      }
    }
  }

  /** Shows other servers that this one is alive. */
  touch(): void {
    const now = new Date();
    attempt(() => {
      this.#leaveTaken();
      if (this.#isIncomplete && !this.#isEmpty) this.#compact();
    });
    if (this.#file !== undefined) attempt(() => futimesSync(this.#file ?? -1, now, now));
  }

  /** Closes the file, and deletes it if nothing waits. */
  close(): void {
    attempt(() => this.#leaveTaken());
    const { unwritten } = this.waiting;
    if (!this.#isEmpty && (this.#isIncomplete || unwritten > 0)) attempt(() => this.#compact());
    const file = this.#file;
    this.#file = undefined;
    this.#options.owner.files.delete(this.#name);
    if (file !== undefined) attempt(() => closeSync(file));
    if (file !== undefined && this.#isEmpty) attempt(() => rmSync(this.#path, { force: true }));
  }

  get #path(): string {
    return join(this.#options.folder, this.#name);
  }

  get #isEmpty(): boolean {
    return this.#stored.size === 0 && this.#withLosses.length === 0;
  }

  get #withLosses(): readonly SinkRecords[] {
    return [...this.#sinks].filter(({ isStored, losses }) => isStored && losses !== undefined);
  }

  #hasRoom(bytes: number): boolean {
    return this.#writtenCount < MAX_WRITTEN && this.#writtenBytes + bytes <= MAX_WRITTEN_BYTES;
  }

  #isInFile(stored: Stored): void {
    stored.isWritten = true;
    this.#writtenCount += 1;
    this.#writtenBytes += stored.bytes;
  }

  /** @returns those that the sink had */
  #settled(sink: SinkRecords, ids: readonly string[]): readonly string[] {
    return ids.filter((id) => {
      const sinks = this.#stored.get(id)?.sinks;
      const wasThere = sinks?.delete(sink) === true;
      if (sinks?.size === 0) this.#release(id);
      return wasThere;
    });
  }

  #release(id: string): void {
    const { isWritten, bytes } = this.#stored.get(id) ?? { isWritten: false, bytes: 0 };
    this.#stored.delete(id);
    if (!isWritten) return;
    this.#writtenCount -= 1;
    this.#writtenBytes -= bytes;
  }

  #clearIfEmpty(): boolean {
    if (!this.#isEmpty) return false;
    const file = this.#file;
    // Windows truncates no file that is open for appending, except by its path.
    const isCleared =
      file === undefined || attempt(() => ftruncateSync(file)) || attempt(() => truncateSync(this.#path));
    if (!isCleared) return false;
    this.#hasWrittenOrigins = false;
    this.#isIncomplete = false;
    this.#fileBytes = 0;
    return true;
  }

  /** Once per content of the file. */
  #writeOrigins(): void {
    if (this.#hasWrittenOrigins) return;
    this.#hasWrittenOrigins = true;
    this.#append(encode({ origins: this.#origins }));
  }

  /** After a long sleep, another server may have taken the file: what waits here is written again. */
  #leaveTaken(): void {
    const file = this.#file;
    if (file === undefined || fstatSync(file).nlink > 0) return;
    this.#file = undefined;
    this.#isIncomplete = true;
    closeSync(file);
  }

  /** @returns false if the file could not be written; then the next line that can be is followed by what is missing */
  #append(line: string): boolean {
    let isWritten = false;
    try {
      this.#leaveTaken();
      this.#file ??= this.#open();
      const bytes = Buffer.from(this.#isTorn ? `\n${line}` : line);
      this.#isTorn = true;
      // A full disk can end a write early.
      for (let written = 0; written < bytes.length;) written += writeSync(this.#file, bytes, written);
      this.#isTorn = false;
      isWritten = true;
      this.#fileBytes += bytes.length;
      const isLarge = this.#fileBytes > Math.max(MIN_COMPACTED_BYTES, 2 * this.#writtenBytes);
      if (isLarge || this.#isIncomplete) this.#compact();
      this.#problem = '';
    } catch (error) {
      this.#isIncomplete = true;
      const code = errnoOf(error) ?? String(error);
      this.#report(
        `The spool ${this.#options.folder} cannot be written (${code}). What waits is lost if the server is killed.`,
      );
    }
    return isWritten;
  }

  #open(): number {
    mkdirSync(this.#options.folder, { recursive: true, mode: 0o700 });
    return openSync(this.#path, 'a+', 0o600);
  }

  /** Rewrites the file with what waits. */
  #compact(): void {
    const file = (this.#file ??= this.#open());
    const parts: string[] = [encode({ origins: this.#origins })];
    const written: Stored[] = [];
    let [bytes, count] = [0, 0];
    for (const stored of this.#stored.values()) {
      count += 1;
      bytes += stored.bytes;
      if (count > MAX_WRITTEN || bytes > MAX_WRITTEN_BYTES) break;
      written.push(stored);
      parts.push(textOf(stored.notification, stored.sinks));
    }
    for (const { losses: lost, key: sink } of this.#withLosses) {
      if (lost !== undefined) parts.push(encode({ lost, sink, done: [] }));
    }
    const text = parts.join('');
    // Windows replaces no file that is open.
    this.#file = undefined;
    closeSync(file);
    try {
      this.#replace(this.#path, text);
    } finally {
      // It is emptied and deleted through this, also if no further line comes.
      this.#file = this.#open();
    }
    this.#fileBytes = Buffer.byteLength(text);
    this.#isIncomplete = false;
    this.#isTorn = false;
    [this.#writtenCount, this.#writtenBytes] = [0, 0];
    for (const stored of this.#stored.values()) stored.isWritten = false;
    for (const stored of written) this.#isInFile(stored);
  }

  /** Writes a whole file or nothing: on a full disk a write can end early. */
  #replace(path: string, text: string, prepare?: (temporary: string) => void): void {
    const temporary = join(this.#options.folder, `${randomUUID()}.tmp`);
    try {
      writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 });
      prepare?.(temporary);
      renameSync(temporary, path);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
  }

  /** Reports each problem once until something was stored again. */
  #report(sentence: string): void {
    if (this.#problem === sentence) return;
    this.#problem = sentence;
    this.#options.report(sentence);
  }
}

function textOf(notification: Notification, sinks: Iterable<SinkRecords>): string {
  const waiting = [...sinks].flatMap((sink) => {
    const { stage = 'queued', tried } = sink.get(notification.id) ?? {};
    return [[sink.key, { stage, attempts: tried?.count ?? 0 }] as const];
  });
  return linesOf(notification, new Map(waiting)).map(encode).join('');
}

function attempt(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
