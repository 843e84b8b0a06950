import { closeSync, fstatSync, lstatSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type Scheduler, systemClock, checkPrivate, uniqueId } from '@deskside/core/base';
import type {
  ItemOutcome,
  ItemStart,
  Journal,
  JournalFilter,
  JournalItem,
  JournalRecord,
  Via,
} from './records.ts';
import { localIso } from '@deskside/core/dates';
import { messageOf } from '@deskside/core/errors';
import type { Log } from '@deskside/core';
import { firstCodePoints } from '@deskside/core/text';
import type { ItemLine } from './fold.ts';
import { JournalReader } from './read.ts';
import { deleteOldSegments, LINE_FEED, MAX_SEGMENT_BYTES, presentSegment } from './segments.ts';
import { thisWriter } from './writer-life.ts';

export interface JournalOptions {
  /** Created if it does not exist. */
  readonly folder: string;
  /** Learns once that the journal cannot be written. */
  readonly log: Log;
  readonly clock?: Scheduler;
}

/** Several changes are one write, and a call that ends within this time is one line. */
const BATCH_MS = 10;
/** Each attempt encodes all lines that wait. */
const RETRY_MS = 1000;
/** How long a writer stays in its segment without a look at the folder. */
const LOOK_INTERVAL_MS = 1000;
/** Clients choose some of the texts. */
const MAX_TEXT_CODE_POINTS = 256;

/**
 * Opens the journal of a user. Several processes may write it at once: each appends whole lines, and a line is a part of
 * what is known about one item. See docs/decisions/0068.
 */
export function openJournal({ folder, log, clock = systemClock }: JournalOptions): Journal {
  return new Writer(folder, log, clock);
}

class Writer implements Journal {
  readonly #folder: string;
  readonly #log: Log;
  readonly #clock: Scheduler;
  readonly #id = uniqueId();
  readonly #open = new Set<Item>();
  #reader: JournalReader;
  /** Items with something to write. */
  #waiting: Item[] = [];
  /** Lines that are to be written, and that could not be. */
  #unwritten = '';
  #segment: Segment | undefined;
  #hasFailed = false;
  /** Monotonic. A disk that is full is tried again after a pause. */
  #retryAtMs = -Infinity;
  #cancelWrite = () => {};

  constructor(folder: string, log: Log, clock: Scheduler) {
    this.#folder = folder;
    this.#log = log;
    this.#clock = clock;
    this.#reader = new JournalReader(folder, clock);
  }

  begin(start: ItemStart): JournalItem {
    return new Item(start, this.#id, this.#clock, this.#wait);
  }

  async records(filter?: JournalFilter): Promise<readonly JournalRecord[]> {
    this.#write();
    const reader = this.#reader;
    await reader.read();
    return reader.records(filter);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#write();
    for (const item of this.#open) item.end('interrupted');
    this.#write();
    this.#cancelWrite();
    this.#leaveSegment();
  }

  readonly #wait = (item: Item): void => {
    if (this.#waiting.length === 0) {
      const delayMs = Math.max(BATCH_MS, this.#retryAtMs - this.#clock.elapsedMs());
      this.#cancelWrite = this.#clock.after(delayMs, () => this.#write());
    }
    this.#waiting.push(item);
  };

  #write(): void {
    for (const item of this.#waiting.splice(0)) {
      this.#unwritten += item.takeLine();
      if (item.hasEnded) this.#open.delete(item);
      else this.#open.add(item);
    }
    if (this.#unwritten === '') return;
    try {
      if (!this.#append()) {
        // The next segment may have the name of one that was deleted.
        this.#reader = new JournalReader(this.#folder, this.#clock);
        this.#append();
      }
      this.#unwritten = '';
      this.#hasFailed = false;
      this.#retryAtMs = -Infinity;
    } catch (error) {
      if (!this.#hasFailed) {
        this.#log.warn('journal not written', { folder: this.#folder, error: messageOf(error) });
      }
      this.#hasFailed = true;
      this.#retryAtMs = this.#clock.elapsedMs() + RETRY_MS;
      this.#unwritten = newestLines(this.#unwritten);
      this.#leaveSegment();
    }
  }

  /**
   * Does not wait for the disk: the system has the lines when it returns, also if this process is killed then. The last
   * line of another process may be torn, so the first one here begins with a line feed.
   *
   * @returns false if the folder was deleted meanwhile: what is known about an item may be written twice
   */
  #append(): boolean {
    const segment = this.#enterSegment();
    const { descriptor, isIntroduced } = segment;
    const writer = isIntroduced
      ? ''
      : `${JSON.stringify(thisWriter(this.#id, localIso(this.#clock.now())))}\n`;
    const text = Buffer.from(`\n${writer}${this.#unwritten}`);
    const written = writeSync(descriptor, text);
    if (written < text.length) {
      // From the torn line on: whole lines again at each attempt would fill the disk.
      this.#unwritten = text.toString('utf8', text.lastIndexOf(LINE_FEED, Math.max(0, written - 1)) + 1);
      throw new Error(`only ${written} of ${text.length} bytes were written`);
    }
    segment.isIntroduced = true;
    const { size, nlink } = fstatSync(descriptor);
    segment.bytes = size;
    if (nlink === 0) this.#leaveSegment();
    return nlink > 0;
  }

  #enterSegment(): Segment {
    const atMs = this.#clock.elapsedMs();
    const known = this.#segment;
    if (known !== undefined && atMs - known.seenAtMs < LOOK_INTERVAL_MS && known.bytes < MAX_SEGMENT_BYTES) {
      return known;
    }
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    checkPrivate(this.#folder, lstatSync(this.#folder));
    const now = this.#clock.now();
    const { name, isNew } = presentSegment(this.#folder, now);
    if (known?.name === name) {
      known.seenAtMs = atMs;
      return known;
    }
    this.#leaveSegment();
    const descriptor = openSync(join(this.#folder, name), 'a', 0o600);
    this.#segment = { name, descriptor, bytes: 0, seenAtMs: atMs, isIntroduced: false };
    const stats = fstatSync(descriptor);
    checkPrivate(join(this.#folder, name), stats);
    this.#segment.bytes = stats.size;
    if (isNew) deleteOldSegments(this.#folder, now);
    return this.#segment;
  }

  #leaveSegment(): void {
    if (this.#segment !== undefined) closeSync(this.#segment.descriptor);
    this.#segment = undefined;
  }
}

interface Segment {
  readonly name: string;
  readonly descriptor: number;
  bytes: number;
  /** When it was the last one of the folder. */
  seenAtMs: number;
  /** True if it has the line of this writer. */
  isIntroduced: boolean;
}

class Item implements JournalItem {
  readonly id: string;
  readonly #head: Pick<ItemLine, 'id' | 'by' | 'kind'>;
  readonly #clock: Scheduler;
  readonly #beganAtMs: number;
  readonly #wait: (item: Item) => void;
  #isShown = false;
  #isSeen = false;
  #hasEnded = false;
  /** What is to be written; undefined if everything is. */
  #line: Partial<ItemLine> | undefined;

  /** @param wait called when there is something to write */
  constructor(start: ItemStart, by: string, clock: Scheduler, wait: (item: Item) => void) {
    const { id = uniqueId(), kind, caller, user, token, project, session, mount, tool, transport } = start;
    this.id = id;
    this.#head = { id, by, kind };
    this.#clock = clock;
    this.#beganAtMs = clock.elapsedMs();
    this.#wait = wait;
    this.#add({
      asked: localIso(clock.now()),
      caller: cut(caller),
      user: cut(user),
      token: cut(token),
      project: cut(project),
      session: cut(session),
      mount,
      tool: cut(tool),
      transport,
    });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  shown(): void {
    if (this.#isShown) return;
    this.#isShown = true;
    this.#add({ shown: localIso(this.#clock.now()) });
  }

  seen(via?: Via): void {
    if (this.#isSeen) return;
    this.#isSeen = true;
    this.#add({ seen: localIso(this.#clock.now()), ...(via === undefined ? {} : { via }) });
  }

  end(outcome: ItemOutcome, via?: Via): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const ms = Math.round(this.#clock.elapsedMs() - this.#beganAtMs);
    this.#add({ ended: localIso(this.#clock.now()), outcome, via, ms });
  }

  takeLine(): string {
    const line = JSON.stringify(this.#line);
    this.#line = undefined;
    return `${line}\n`;
  }

  #add(known: Partial<ItemLine>): void {
    if (this.#line === undefined) {
      this.#line = { ...this.#head, ...known };
      this.#wait(this);
    } else Object.assign(this.#line, known);
  }
}

/** Whole lines, as many as a segment has. */
function newestLines(lines: string): string {
  const bytes = Buffer.from(lines);
  const excess = bytes.length - MAX_SEGMENT_BYTES;
  return excess <= 0 ? lines : bytes.toString('utf8', bytes.indexOf(LINE_FEED, excess - 1) + 1);
}

function cut<Given extends string | undefined>(text: Given): Given | string {
  return text === undefined ? text : firstCodePoints(text, MAX_TEXT_CODE_POINTS);
}
