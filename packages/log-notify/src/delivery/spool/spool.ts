import { randomUUID } from 'node:crypto';
import {
  closeSync,
  ftruncateSync,
  futimesSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '@deskside/core/errors';
import type { LossData } from '../../notification/losses.ts';
import { mergedLosses } from '../../notification/losses.ts';
import type { Notification } from '../../notification/notification.ts';
import { type Leftovers, leftoversIn, rename, type Route } from './leftovers.ts';
import { encode, type Line, type Origin, parseLines, type Stage } from './lines.ts';
import { fileName, findOrphans, type Owner } from './orphans.ts';

export type { Stage } from './lines.ts';

/** Above these limits, notifications are delivered without being stored first. */
const [MAX_PENDING, MAX_PENDING_BYTES] = [10_000, 8 * 1024 * 1024];

/** The file is rewritten when it is larger than this and twice as large as what waits. */
const MIN_COMPACTED_BYTES = 1024 * 1024;

export interface SpoolOptions {
  readonly folder: string;
  readonly owner: Owner;
  /** Receives one sentence if something cannot be stored. */
  readonly report: (sentence: string) => void;
}

interface Pending {
  readonly bytes: number;
  readonly sinks: Map<string, Stage>;
  /** Only if it is not in the file, because that could not be written. */
  unwritten?: Notification | undefined;
}

/**
 * The notifications of this process that no sink has got yet, in a file that survives the process. Each is written
 * before its call is answered. A later server takes over the file. The folder has mode 0700, the file 0600. No method
 * throws: without a file, everything is delivered from memory. See docs/decisions/0038.
 */
export class Spool {
  readonly #options: SpoolOptions;
  readonly #name: string;
  readonly #pending = new Map<number, Pending>();
  readonly #losses = new Map<string, LossData>();
  #origins: Readonly<Record<string, Origin>> = {};
  #hasWrittenOrigins = false;
  #lastTicket = 0;
  #pendingBytes = 0;
  #fileBytes = 0;
  #file: number | undefined;
  #isTorn = false;
  /** Something could not be written: the file does not say all that waits, or too much. */
  #isIncomplete = false;
  #problem = '';

  constructor(options: SpoolOptions) {
    this.#options = options;
    this.#name = fileName(options.owner);
  }

  /** The number of a notification's record. */
  nextTicket(): number {
    this.#lastTicket += 1;
    return this.#lastTicket;
  }

  /** Number of records that wait. */
  get size(): number {
    return this.#pending.size;
  }

  /** The sinks of the configuration file, by key. What waits may be for one that was there before. */
  know(origins: Readonly<Record<string, Origin>>): void {
    const waits = this.#pending.size + this.#losses.size > 0;
    this.#origins = waits ? { ...this.#origins, ...origins } : origins;
    this.#hasWrittenOrigins = false;
    if (waits) this.#writeOrigins();
  }

  /** @param sinks keys of the sinks that will deliver it */
  accept(ticket: number, notification: Notification, sinks: ReadonlyMap<string, Stage>): void {
    if (sinks.size === 0) return;
    const line = encode({ accepted: ticket, sinks: Object.fromEntries(sinks), notification });
    const bytes = Buffer.byteLength(line);
    if (this.#pending.size >= MAX_PENDING || this.#pendingBytes + bytes > MAX_PENDING_BYTES) {
      this.#report('The spool is full. What arrives now is lost if the server is killed.');
      return;
    }
    const pending: Pending = { bytes, sinks: new Map(sinks) };
    this.#pending.set(ticket, pending);
    this.#pendingBytes += bytes;
    this.#writeOrigins();
    if (!this.#append(line)) pending.unwritten = notification;
  }

  /** The sink has delivered these. */
  done(sink: string, tickets: readonly number[]): void {
    const known = tickets.filter((ticket) => this.#remove(sink, ticket));
    if (known.length === 0 || this.#clearIfEmpty()) return;
    this.#append(encode({ done: known, sink }));
  }

  /** The sink has lost these, and its people do not know it yet. */
  lost(sink: string, tickets: readonly number[], losses: LossData): void {
    this.#losses.set(sink, mergedLosses(this.#losses.get(sink), losses));
    for (const ticket of tickets) this.#remove(sink, ticket);
    this.#writeOrigins();
    this.#append(encode({ lost: losses, sink, done: tickets }));
  }

  /** The people of the sink know its losses. */
  reported(sink: string): void {
    this.#losses.delete(sink);
    if (!this.#clearIfEmpty()) this.#append(encode({ reported: sink }));
  }

  /** The sink has another key from now on. */
  moved(sink: string, to: string): void {
    for (const { sinks } of this.#pending.values()) rename(sinks, sink, to);
    rename(this.#losses, sink, to);
    this.#append(encode({ moved: sink, to }));
  }

  /**
   * Takes over what servers that have ended left for sinks of this server. The rest stays for another server.
   *
   * @param accept stores what this server takes, before the file is deleted
   */
  claim(now: Date, route: Route, accept: (leftovers: Leftovers) => void): void {
    const { folder, owner } = this.#options;
    for (const orphan of findOrphans(folder, owner, new Date())) {
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
    if (this.#file !== undefined) attempt(() => futimesSync(this.#file ?? -1, now, now));
  }

  /**
   * Closes the file, and deletes it if nothing waits.
   *
   * @returns how many notifications wait and are not in the file
   */
  close(): number {
    const isEmpty = this.#pending.size === 0 && this.#losses.size === 0;
    if (this.#isIncomplete && !isEmpty) attempt(() => this.#compact());
    const file = this.#file;
    this.#file = undefined;
    this.#options.owner.files.delete(this.#name);
    if (file !== undefined) attempt(() => closeSync(file));
    if (file !== undefined && isEmpty) attempt(() => rmSync(this.#path, { force: true }));
    return [...this.#pending.values()].filter(({ unwritten }) => unwritten !== undefined).length;
  }

  get #path(): string {
    return join(this.#options.folder, this.#name);
  }

  #remove(sink: string, ticket: number): boolean {
    const pending = this.#pending.get(ticket);
    if (pending?.sinks.delete(sink) !== true) return false;
    if (pending.sinks.size === 0) {
      this.#pending.delete(ticket);
      this.#pendingBytes -= pending.bytes;
    }
    return true;
  }

  #clearIfEmpty(): boolean {
    if (this.#pending.size > 0 || this.#losses.size > 0) return false;
    const file = this.#file;
    if (file !== undefined && !attempt(() => ftruncateSync(file))) return false;
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

  /** @returns false if the file could not be written; then the next line that can be is followed by what is missing */
  #append(line: string): boolean {
    let isWritten = false;
    try {
      this.#file ??= this.#open();
      const bytes = Buffer.from(this.#isTorn ? `\n${line}` : line);
      this.#isTorn = true;
      // A full disk can end a write early.
      for (let written = 0; written < bytes.length;) written += writeSync(this.#file, bytes, written);
      this.#isTorn = false;
      isWritten = true;
      this.#fileBytes += bytes.length;
      const isLarge = this.#fileBytes > Math.max(MIN_COMPACTED_BYTES, 2 * this.#pendingBytes);
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
    const lines = parseLines(readFileSync(this.#path, 'utf8'));
    const stored = new Map(lines.flatMap((line) => ('accepted' in line ? [[line.accepted, line]] : [])));
    const waiting = [...this.#pending].flatMap(([accepted, { sinks, unwritten }]): Line[] => {
      const notification = unwritten ?? stored.get(accepted)?.notification;
      return notification === undefined ? [] : [{ accepted, sinks: Object.fromEntries(sinks), notification }];
    });
    const losses = [...this.#losses].map(([sink, lost]): Line => ({ lost, sink, done: [] }));
    const text = [{ origins: this.#origins }, ...waiting, ...losses].map(encode).join('');
    this.#replace(this.#path, text);
    this.#file = undefined;
    closeSync(file);
    this.#fileBytes = Buffer.byteLength(text);
    this.#isIncomplete = false;
    this.#isTorn = false;
    for (const pending of this.#pending.values()) pending.unwritten = undefined;
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

function attempt(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
